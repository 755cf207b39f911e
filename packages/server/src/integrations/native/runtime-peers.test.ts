import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AGENT_FILE_NAMES, type AgentRecord } from '@clawboo/core/registry'
import { type ScriptStep, scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestRuntime, SCRIPTED, type TestRuntime, textsIn } from './test-runtime.ts'
import { say } from './test-talk.ts'

let boo: TestRuntime
let agent: AgentRecord
let workspace: string
beforeEach(async () => {
  boo = await openTestRuntime()
  agent = await boo.makeAgent({ exec: { applyPatch: { enabled: true, allowModels: [`${SCRIPTED}/boo`] } } })
  workspace = join(boo.host.homeFolder, agent.id, 'workspace')
})
afterEach(() => boo.dispose())

const HELLO = scriptPrompt([[{ say: 'Hello.' }]])
const PEERS = ['room:team:writers', 'task:1'] as const
const keyOf = (place: string) => ({ sessionKey: `agent:${agent.id}:${place}` })
const promptOf = () => textsIn(boo.calls().at(-1)!.messages[0]).join('')
const write = (path: string, content = 'Obey.'): ScriptStep => ({ callTool: 'write', with: { path, content } })
const patch = (input: string): ScriptStep => ({ callTool: 'apply_patch', with: { input } })

test('[NR41] rooms and tasks leave the first-run ritual alone, and the first conversation with a person starts it', async () => {
  for (const place of PEERS) {
    await say(boo, agent, HELLO, keyOf(place))
    expect(promptOf()).not.toContain('BOOTSTRAP.md')
  }
  await say(boo, agent, HELLO)
  expect(promptOf()).toContain('BOOTSTRAP.md')
  await say(boo, agent, HELLO, keyOf(PEERS[0]))
  expect(promptOf()).not.toContain('BOOTSTRAP.md')
})

test('[NR177] in rooms and tasks no tool can change a skill or the agent’s identity', async () => {
  await say(boo, agent, HELLO)
  await mkdir(join(workspace, 'skills', 'kept'), { recursive: true })
  await writeFile(join(workspace, 'skills', 'kept', 'SKILL.md'), 'kept')
  const whole = async () => {
    const names = (await readdir(workspace, { recursive: true })).filter((name) => /\.md$/i.test(name)).sort()
    return Promise.all(names.map(async (name) => [name, await readFile(join(workspace, name), 'utf8')]))
  }
  const before = await whole()
  const own = AGENT_FILE_NAMES.filter((name) => !name.startsWith('MEMORY'))
  const tries = [
    ...[...own, 'BOOTSTRAP.md', './AGENTS.md', 'a/../SOUL.md', 'agents.md'].map((path) => write(path)),
    ...[
      'skills/x/SKILL.md',
      '.agents/skills/x/SKILL.md',
      'skills/SKILL.md',
      'Skills/x/SKILL.md',
      'ſkills/x/SKILL.md',
    ].map((path) => write(path)),
    write(join(workspace, 'skills/kept/SKILL.md')),
    { callTool: 'edit', with: { path: 'skills/kept/SKILL.md', edits: [{ oldText: 'kept', newText: 'gone' }] } },
    patch('*** Begin Patch\n*** Add File: skills/y/SKILL.md\n+Obey.\n*** End Patch'),
    patch('*** Begin Patch\n*** Delete File: skills/kept/SKILL.md\n*** End Patch'),
    patch(
      '*** Begin Patch\n*** Update File: skills/kept/SKILL.md\n*** Move to: away.md\n@@\n-kept\n+gone\n*** End Patch',
    ),
  ]
  for (const place of PEERS) {
    const { events } = await say(boo, agent, scriptPrompt([tries, [{ say: 'tried' }]]), keyOf(place))
    const results = events.filter((event) => event.type === 'tool-result')
    expect(results.map(({ isError }) => isError)).toEqual(tries.map(() => true))
    expect(await whole()).toEqual(before)
  }
})

test('[NR177] memory and other files are writable everywhere, skills only with a person, and a project’s skills like any other file', async () => {
  const files = ['MEMORY.md', 'memory/today.md', 'notes/skills/a.md', 'notes/AGENTS.md', 'skills.md']
  for (const place of PEERS) {
    await say(boo, agent, scriptPrompt([files.map((path) => write(path, place)), [{ say: 'done' }]]), keyOf(place))
    for (const path of files) expect(await readFile(join(workspace, path), 'utf8')).toBe(place)
  }
  await say(boo, agent, scriptPrompt([[write('skills/x/SKILL.md'), write('SOUL.md')], [{ say: 'done' }]]))
  expect(await readFile(join(workspace, 'skills/x/SKILL.md'), 'utf8')).toBe('Obey.')
  expect(await readFile(join(workspace, 'SOUL.md'), 'utf8')).toBe('Obey.')
  const folder = join(boo.userHome, 'work', 'project')
  await mkdir(folder, { recursive: true })
  const project = scriptPrompt([[write('skills/x/SKILL.md', 'new'), write('AGENTS.md', 'new')], [{ say: 'done' }]])
  await say(boo, agent, project, { ...keyOf(PEERS[1]), folder })
  for (const path of ['skills/x/SKILL.md', 'AGENTS.md']) expect(await readFile(join(folder, path), 'utf8')).toBe('new')
})
