import { createHash } from 'node:crypto'
import { type Methods, method, Refusal } from './test-gateway-method.ts'
import type { Json } from './test-recordings.ts'
import type { VersionFacts } from './test-version-facts.ts'

export interface TestAgent {
  id: string
  name: string | null
  emoji: string | null
  readonly files: Map<string, string>
  /** Additional fields of its row in the list. */
  row: Json
}

export interface TestFleet {
  /** The current agents; the list shows a change a moment later. */
  readonly agents: Map<string, TestAgent>
  /** A test's own answer to `agents.list`. */
  listAnswer: unknown
  readonly methods: Methods
  /** Whether any method except creation finds the agent. */
  has(id: string): boolean
  put(agent: Partial<TestAgent> & { readonly id: string }): TestAgent
  remove(id: string): void
}

export function createTestFleet(facts: VersionFacts, listLagMs: number): TestFleet {
  const agents = new Map<string, TestAgent>()
  let shown = new Map<string, TestAgent>()
  const show = () => {
    shown = new Map([...agents].map(([id, agent]) => [id, { ...agent }]))
  }
  const changed = () => (listLagMs === 0 ? show() : void setTimeout(show, listLagMs).unref())
  const put: TestFleet['put'] = (changes) => {
    const agent = { name: null, emoji: null, files: new Map<string, string>(), row: {}, ...changes }
    agents.set(agent.id, agent)
    show()
    return agent
  }
  const wanted = (id: unknown, words = `agent "${id}" not found`) => {
    const agent = shown.has(String(id)) ? agents.get(String(id)) : undefined
    if (!agent) throw new Refusal(words)
    return agent
  }
  const remove = (id: string) => {
    agents.delete(id)
    show()
  }
  const fleet: TestFleet = { agents, listAnswer: undefined, put, remove, has: (id) => shown.has(id), methods: {} }
  const list = () => ({
    defaultId: 'main',
    ownership: 'sole',
    mainKey: 'main',
    scope: 'per-sender',
    agents: [...shown.values()].map(rowOf),
  })
  const workspace = facts.needsWorkspace ? 'workspace!' : 'workspace'
  const methods: Methods = {
    'agents.list': method('read', '', () => fleet.listAnswer ?? list()),
    'agents.create': method('admin', `name! ${workspace} model emoji avatar`, ({ name, emoji }) => {
      const id = slug(String(name))
      if (id === '') throw new Refusal(`agent name "${name}" has no valid id characters`)
      if (agents.has(id)) throw new Refusal(`agent "${id}" already exists`)
      const made = { id, name: String(name), emoji: emoji === undefined ? null : String(emoji) }
      agents.set(id, {
        ...made,
        files: new Map(facts.bornWith.map((file) => [file, `- Name: ${name}\n`])),
        row: { createdVia: 'operator', createdAt: Date.now() },
      })
      changed()
      return { ok: true, agentId: id, name, workspace: `<dir>/workspace/${id}` }
    }),
    'agents.update': method('admin', 'agentId! name workspace model emoji avatar', ({ agentId, name, emoji }) => {
      const agent = wanted(agentId)
      if (name !== undefined) agent.name = String(name)
      if (emoji !== undefined) agent.emoji = String(emoji)
      changed()
      return { ok: true, agentId }
    }),
    'agents.delete': method('admin', 'agentId! deleteFiles', ({ agentId }) => {
      agents.delete(wanted(agentId).id)
      changed()
      return { ok: true, agentId, removedBindings: 0, removed: [] }
    }),
    ...fileMethods(facts, wanted),
  }
  return Object.assign(fleet, { methods })
}

type FindAgent = (id: unknown, words: string) => TestAgent

function fileMethods({ files: names, filesOfNobody }: VersionFacts, find: FindAgent): Methods {
  const wanted = (id: unknown) => find(id, filesOfNobody(String(id)))
  const describe = ({ id, files }: TestAgent, name: string, whole: boolean) => {
    const [path, content] = [`<dir>/workspace/${id}/${name}`, files.get(name)]
    if (content === undefined) return { name, path, missing: true, expectedAbsent: true }
    const hash = createHash('sha256').update(content).digest('hex')
    const there = { name, path, missing: false, size: Buffer.byteLength(content), updatedAtMs: 1, hash }
    return whole ? { ...there, content } : there
  }
  const supported = (name: unknown) => {
    if (!names.includes(String(name))) throw new Refusal(`unsupported file "${name}"`)
    return String(name)
  }
  const answerWith = (agent: TestAgent, more: Json) => ({
    agentId: agent.id,
    workspace: `<dir>/workspace/${agent.id}`,
    ...more,
  })
  return {
    'agents.files.list': method('read', 'agentId!', ({ agentId }) => {
      const agent = wanted(agentId)
      return answerWith(agent, { files: names.map((name) => describe(agent, name, false)) })
    }),
    'agents.files.get': method('read', 'agentId! name!', ({ agentId, name }) => {
      const agent = wanted(agentId)
      return answerWith(agent, { file: describe(agent, supported(name), true) })
    }),
    'agents.files.set': method('admin', 'agentId! name! content!', ({ agentId, name, content }) => {
      const agent = wanted(agentId)
      agent.files.set(supported(name), String(content))
      return { ok: true, ...answerWith(agent, { file: describe(agent, String(name), true) }) }
    }),
  }
}

function rowOf({ id, name, emoji, row }: TestAgent): Json {
  const identity = { ...(name === null ? {} : { name }), ...(emoji === null ? {} : { emoji }) }
  return {
    id,
    ...(name === null ? {} : { name }),
    ...(name === null && emoji === null ? {} : { identity }),
    workspace: `<dir>/workspace/${id}`,
    workspaceGit: false,
    model: { primary: 'scripted/boo' },
    defaultPermissionMode: 'full',
    ...row,
  }
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
