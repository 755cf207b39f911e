import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useRecords } from '../executor/test-records.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import { newRun } from '../store/contract/runs-contract.ts'
import { sql } from '../store/sql.ts'
import { testEngines } from '../store/test-stores.ts'
import { createMemories, MAX_MEMORY_CHARACTERS, type Memories, type Rememberer } from './memories.ts'
import { leastTrusted } from './source-trust.ts'

const ada: Rememberer = { kind: 'agent', agentId: 'ada', teamId: 'writers', runId: 'r1' }
const bob: Rememberer = { kind: 'agent', agentId: 'bob', teamId: 'writers', runId: 'r2' }
const eve: Rememberer = { kind: 'agent', agentId: 'eve', teamId: 'others', runId: 'r3' }
const operator: Rememberer = { kind: 'operator' }

describe('trust of a memory', () => {
  it('[MC13] a text has the trust of its least trusted source; without sources, the lowest trust', () => {
    expect(leastTrusted([])).toBe('outside')
    expect(leastTrusted(['agent'])).toBe('agent')
    expect(leastTrusted(['agent', 'tool', 'teammate'])).toBe('tool')
  })
})

describe.each(testEngines())('memories on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  const store = () => records()[0]!.store
  let memories: Memories
  const save = (who: Rememberer, text: string, scope?: 'agent' | 'team' | 'everyone') =>
    memories.save(who, { text, sources: ['agent'], ...(scope && { scope }) })
  const texts = async (who: Rememberer, query?: string) =>
    (await (query === undefined ? memories.browse(who, { limit: 50 }) : memories.search(who, query, 50))).memories.map(
      ({ text }) => text,
    )
  beforeAll(async () => {
    for (const id of ['writers', 'others']) await store().teams.insert({ id, name: id, createdAt: 1 })
    for (const id of ['ada', 'bob', 'eve']) await store().agents.insert(newAgent(id))
  })
  beforeEach(async () => {
    await store().db.run(sql`DELETE FROM memories`)
    memories = createMemories(store())
  })

  it('[MC12] a memory is visible to its agent, its team or everyone', async () => {
    await save(ada, 'own word')
    await save(ada, 'team word', 'team')
    await save(operator, 'common word')
    await expect(save(ada, 'x', 'everyone')).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(save(operator, 'x', 'team')).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(save({ ...ada, teamId: null }, 'x', 'team')).rejects.toMatchObject({ code: 'request_invalid' })
    const seen = [
      [ada, ['common word', 'team word', 'own word']],
      [bob, ['common word', 'team word']],
      [eve, ['common word']],
      [{ ...ada, teamId: null }, ['common word', 'own word']],
      [operator, ['common word', 'team word', 'own word']],
    ] as const
    for (const [who, expected] of seen) {
      expect(await texts(who)).toEqual(expected)
      expect(await texts(who, 'word')).toEqual(expected)
    }
  })

  it('[MC13] a memory names its author, run and least trusted source', async () => {
    const saved = await memories.save(ada, { text: 'a', scope: 'team', sources: ['agent', 'tool'] })
    expect(saved).toMatchObject({
      scope: 'team',
      agentId: null,
      teamId: 'writers',
      author: 'agent:ada',
      runId: 'r1',
      sourceKind: 'agent',
      trust: 'tool',
    })
    expect((await memories.search(bob, 'a', 5)).memories).toEqual([saved])
    expect(await memories.save(ada, { text: 'b', sources: ['operator'] })).toMatchObject({ trust: 'outside' })
    expect(await save(operator, 'c')).toMatchObject({ author: 'operator', sourceKind: 'operator', trust: 'operator' })
  })

  it('[MC13] text counts as the agent’s own only in a run that answers a person’s message', async () => {
    const trustIn = async (runId: string) =>
      (await memories.save({ ...ada, runId }, { text: runId, sources: ['agent'] })).trust
    for (const trigger of ['message', 'room', 'task'] as const)
      await store().runs.insert(newRun(`in-${trigger}`, { agentId: 'ada', trigger }))
    expect(await trustIn('in-message')).toBe('agent')
    expect(await trustIn('in-room')).toBe('teammate')
    expect(await trustIn('in-task')).toBe('teammate')
    expect(await trustIn('unknown')).toBe('teammate')
  })

  it.each([
    ['deploy', ['Deploying on Friday fails', 'deploy with make']],
    ['DEPLOY friday', ['Deploying on Friday fails']],
    ['friday deploy fails not-there', []],
    ['src/app.ts', ['the bug is in src/app.ts:12']],
    ['a@b.example', ['write to a@b.example']],
    ['uber', ['Über das Café']],
    ['CAFÉ', ['Über das Café']],
    ['E-1234', ['error E-1234 is harmless']],
    ['京都', ['会議は東京都で']],
    ['都', ['会議は東京都で', '京の都']],
    ["'); DROP TABLE memories; --", []],
    ['"a" OR NEAR(b) * ^c : -d', []],
    ["x':* | 'deploy", []],
    ['…!?', []],
    ['', []],
    ['1.2', ['version 1.2 is out']],
    ['eploy', []],
  ])('[MC14] a search for %j finds the same on both engines', async (query, expected) => {
    const kept = [
      'deploy with make',
      'Deploying on Friday fails',
      'the bug is in src/app.ts:12',
      'write to a@b.example',
      'Über das Café',
      'error E-1234 is harmless',
      '京の都',
      '会議は東京都で',
      'version 1.2 is out',
    ]
    for (const text of kept) await save(ada, text)
    expect(await texts(ada, query)).toEqual(expected)
  })

  it('[MC14] does not find a forgotten memory or one that was deleted with its agent', async () => {
    const { id } = await save(ada, 'gone soon')
    await memories.forget(ada, id)
    await store().agents.insert(newAgent('tmp'))
    await save({ ...ada, agentId: 'tmp' }, 'gone with its agent')
    await store().db.run(sql`DELETE FROM agents WHERE id = 'tmp'`)
    expect(await texts(operator, 'gone')).toEqual([])
    await save(ada, 'here again')
    expect(await texts(operator, 'here')).toEqual(['here again'])
  })

  it('[MC15] an agent forgets only its own memories, and gets the same answer for others’ and missing ones', async () => {
    const own = await save(ada, 'own')
    const shared = await save(ada, 'shared', 'team')
    const common = await save(operator, 'common')
    for (const [who, id] of [
      [bob, own.id],
      [bob, shared.id],
      [eve, own.id],
      [ada, common.id],
      [ada, 'nothing'],
    ] as const)
      await expect(memories.forget(who, id)).rejects.toMatchObject({ code: 'memory_not_found' })
    await memories.forget(ada, shared.id)
    await memories.forget(operator, own.id)
    expect(await texts(operator)).toEqual(['common'])
  })

  it('[MC16] limits the size, number and answer length', async () => {
    for (const text of ['', '  ', 'x'.repeat(MAX_MEMORY_CHARACTERS + 1)])
      await expect(save(ada, text)).rejects.toMatchObject({ code: 'request_invalid' })
    for (let n = 0; n < 7; n++) await save(ada, `${n} ${'x'.repeat(7_990)}`)
    const page = await memories.search(ada, 'x', 50)
    expect([page.memories.length, page.hasMore]).toEqual([5, true])
    const next = await memories.browse(ada, { limit: 50, before: page.memories.at(-1)!.id })
    expect([next.memories.map(({ text }) => text[0]), next.hasMore]).toEqual([['1', '0'], false])
    await expect(memories.browse(bob, { limit: 5, before: page.memories[0]!.id })).rejects.toMatchObject({
      code: 'memory_not_found',
    })
    memories = createMemories(store(), { most: { agent: 8, team: 1, everyone: 1 } })
    const many = await Promise.allSettled(Array.from({ length: 4 }, (_, n) => save(ada, `more ${n}`)))
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(many.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'memory_full' } })
    await save(bob, 'there is room for others')
  })

  it('[MC17] audits saving and forgetting with the agent and run, without the text', async () => {
    const { id } = await save(ada, 'canary-words', 'team')
    await memories.forget(ada, id)
    const entries = (await records()[0]!.store.audit.list({ limit: 2 })).reverse()
    expect(entries).toMatchObject([
      { actor: 'agent:ada', action: 'memory.save', subject: id, runId: 'r1', detail: { scope: 'team' } },
      { actor: 'agent:ada', action: 'memory.forget', subject: id, runId: 'r1' },
    ])
    expect(JSON.stringify(entries)).not.toContain('canary')
  })
})
