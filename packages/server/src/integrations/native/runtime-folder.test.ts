import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRecord } from '@clawboo/core/registry'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isAlive, until } from '../../processes/test-processes.ts'
import { openTestRuntime, type TestRuntime, textsIn, type WireRequest } from './test-runtime.ts'
import { say, talk } from './test-talk.ts'

const DAY = 24 * 3_600_000

let boo: TestRuntime
let at = 0
let folder: string
beforeEach(async () => {
  at = Date.UTC(2026, 0, 1, 9, 41)
  boo = await openTestRuntime({ now: () => at })
  folder = await makeFolder('project')
})
afterEach(() => boo.dispose())

async function makeFolder(name: string): Promise<string> {
  const path = join(boo.userHome, 'work', name)
  await mkdir(path, { recursive: true })
  return path
}

const workspaceOf = (agent: AgentRecord) => join(boo.homeFolder, agent.id, 'workspace')
const systemOf = ({ messages }: WireRequest) => messages[0]!.content as string
const lastSystem = () => systemOf(boo.calls().at(-1)!)

test('[NR490] files and commands use the folder; bootstrap files and skills stay the agent’s own', async () => {
  const agent = await boo.makeAgent({ exec: { security: 'full' } }, { files: { 'SOUL.md': 'You are kind to moss.' } })
  const skill = join(workspaceOf(agent), 'skills', 'count-birds')
  await mkdir(skill, { recursive: true })
  await writeFile(join(skill, 'SKILL.md'), '---\nname: count-birds\ndescription: Counts birds.\n---\n\nOne by one.\n')
  await writeFile(join(folder, 'SOUL.md'), 'You are kind to nobody.')
  const script = [
    [{ callTool: 'write', with: { path: 'a.txt', content: 'a' } }],
    [{ callTool: 'exec', with: { command: 'pwd; echo b > b.txt' } }],
    [{ callTool: 'read', with: { path: join(skill, 'SKILL.md') } }],
    [{ say: 'done' }],
  ]
  const { events } = await say(boo, agent, scriptPrompt(script), { folder })
  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.text] : []))
  expect(results).toEqual([expect.stringContaining('a.txt'), folder, expect.stringContaining('One by one.')])
  expect((await readdir(folder)).sort()).toEqual(['SOUL.md', 'a.txt', 'b.txt'])
  expect(await readdir(workspaceOf(agent))).not.toContain('a.txt')
  expect(lastSystem()).toContain('You are kind to moss.')
  expect(lastSystem()).toContain('Counts birds.')
  expect(lastSystem()).not.toContain('nobody')
})

test('[NR490] a conversation continues wherever its next run works', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, 'the word is heliotrope', { folder })
  await say(boo, agent, 'what was it?', { folder: await makeFolder('second') })
  await say(boo, agent, 'and again?')
  for (const call of boo.calls()) expect(textsIn(call.messages).join('\n')).toContain('the word is heliotrope')
})

test('[NR490] without host folders, worktrees are not claimed and a run uses its agent’s own workspace', async () => {
  const plain = await openTestRuntime({ givesFolders: false })
  try {
    expect(plain.runtime.capabilities(await plain.makeAgent())).toMatchObject({ worktrees: false, mcp: true })
    const agent = await plain.makeAgent()
    const write = { callTool: 'write', with: { path: 'a.txt', content: 'a' } }
    await say(plain, agent, scriptPrompt([[write], [{ say: 'done' }]]), { folder: '/nowhere/at/all' })
    expect(await readFile(join(plain.homeFolder, agent.id, 'workspace', 'a.txt'), 'utf8')).toBe('a')
  } finally {
    await plain.dispose()
  }
})

test('[NR493] an unusable folder fails the run at its start, with the reason', async () => {
  const agent = await boo.makeAgent()
  await writeFile(join(folder, 'file'), '')
  await symlink(folder, join(boo.userHome, 'link'))
  for (const [path, why] of [
    [join(folder, 'missing'), 'it does not exist'],
    [join(folder, 'missing', 'deeper'), 'it does not exist'],
    [join(folder, 'file'), 'it is not a folder'],
    [join(folder, 'file', 'below'), 'it is not a folder'],
    [join(boo.userHome, 'link'), 'a link'],
    ['project', 'it is not an absolute path'],
    ['', 'it is not an absolute path'],
    ['/', 'refused'],
  ] as const)
    await expect(talk(boo, agent, 'hello', { folder: path }), path).rejects.toMatchObject({
      code: 'path_refused',
      message: expect.stringContaining(why),
    })
  expect(boo.calls()).toEqual([])
  expect((await say(boo, agent, 'hello', { folder })).end).toMatchObject({ outcome: 'completed' })
})

test('[NR494] the prompt names the folder in its runtime section and is otherwise unchanged', async () => {
  const agent = await boo.makeAgent()
  const second = await makeFolder('second')
  for (const path of [folder, folder, second]) {
    at += DAY / 100
    await say(boo, agent, `work in ${path}`, { folder: path })
  }
  const [one, again, other] = boo.calls().map(systemOf)
  expect(one).toMatch(new RegExp(`## Runtime\n.* \\| folder=${folder}\n$`))
  expect(again).toBe(one)
  expect(other).toBe(one!.replace(folder, second))
  expect(one!.split(folder)).toHaveLength(2)
  expect(one!.indexOf(folder)).toBeGreaterThan(one!.indexOf('Today is'))
  expect(one).toContain(`Your own workspace is ${workspaceOf(agent)}`)
  expect(one).not.toMatch(/\b\d{1,2}:\d{2}\b/)
  await say(boo, agent, 'and now?')
  expect(lastSystem()).toContain(`Your working directory is ${workspaceOf(agent)}`)
  expect(lastSystem()).not.toContain('folder=')
})

const background = () => ({ callTool: 'exec', with: { command: boo.programs.hold, background: true } })

test('[NR496] processes that a run left in its folder end before the last event, and other runs keep theirs', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, scriptPrompt([[background()], [{ say: 'started' }]]))
  await until(async () => (await boo.heldPids()).length === 1)
  const list = { callTool: 'process', with: { action: 'list' } }
  const poll = [{ callTool: 'exec', with: { command: boo.programs.hold, yieldMs: 300 } }]
  let modelCalls = 0
  // The last answer ends the run, so it waits until both commands have written their process ids.
  const mayCallModel = async () => {
    modelCalls += 1
    if (modelCalls === 4) await until(async () => (await boo.heldPids()).length === 3)
    return null
  }
  const run = await talk(boo, agent, scriptPrompt([[list], [background()], poll, [{ say: 'started' }]]), {
    folder,
    sessionKey: `agent:${agent.id}:task`,
    guard: { mayCallModel },
  })
  const alive: boolean[] = []
  await run.until((event) => event.type === 'done')
  const [kept, ...own] = await boo.heldPids()
  for (const pid of own) alive.push(isAlive(pid))
  expect(await run.end()).toMatchObject({ outcome: 'completed', text: 'started' })
  expect(alive).toEqual([false, false])
  expect(isAlive(kept!)).toBe(true)
  expect(run.events.find((event) => event.type === 'tool-result')).toMatchObject({
    text: 'No commands are running in the background.',
  })
})

test('[NR496] an abort also ends these processes', async () => {
  const agent = await boo.makeAgent()
  const run = await talk(boo, agent, scriptPrompt([[background()], [{ stall: true }]]), { folder })
  await run.until((event) => event.type === 'tool-result')
  await until(async () => (await boo.heldPids()).length === 1)
  await boo.runtime.abort(run.handle)
  expect(await run.end()).toMatchObject({ outcome: 'aborted' })
  expect((await boo.heldPids()).map(isAlive)).toEqual([false])
})

test('[NR497] a pending first conversation does not begin in a run with a folder', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, 'work', { folder, sessionKey: `agent:${agent.id}:task` })
  expect(lastSystem()).toContain('Do not act as if it had taken place.')
  expect(lastSystem()).not.toContain('Follow that file before anything else.')
  expect(lastSystem()).not.toContain('workspace/BOOTSTRAP.md')
  await say(boo, agent, 'hello')
  expect(lastSystem()).toContain('Follow that file before anything else.')
  expect(lastSystem()).toContain('workspace/BOOTSTRAP.md')
})
