import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRecord } from '@clawboo/core/registry'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isAlive, until } from '../../processes/test-processes.ts'
import { openTestRuntime, playing, type TestRuntime, textsIn } from './test-runtime.ts'
import { say, talk } from './test-talk.ts'

let boo: TestRuntime
beforeEach(async () => {
  boo = await openTestRuntime()
})
afterEach(() => boo.dispose())

const sessionsOf = (agent: AgentRecord) => join(boo.homeFolder, agent.id, 'sessions')

async function transcripts(agent: AgentRecord): Promise<Map<string, string>> {
  const names = (await readdir(sessionsOf(agent))).filter((name) => name.includes('.jsonl'))
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(sessionsOf(agent), name), 'utf8')] as const),
    ),
  )
}

test('[NR480] a reset conversation remembers none of the old one, and the old file is kept', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, 'the word is heliotrope')
  const [before] = [...(await transcripts(agent)).values()]
  await boo.runtime.resetSession!(agent, `agent:${agent.id}:main`)
  const calls = boo.calls().length
  await say(boo, agent, 'what was the word?')
  expect(textsIn(boo.calls().slice(calls)).join('')).not.toContain('heliotrope')
  const after = await transcripts(agent)
  expect(after.size).toBe(2)
  expect([...after.values()]).toContain(before)
})

test('[NR480] a run that arrives during a reset is refused', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, 'hello')
  const reset = boo.runtime.resetSession!(agent, `agent:${agent.id}:main`)
  await expect(talk(boo, agent, 'hello')).rejects.toMatchObject({ code: 'agent_busy' })
  await reset
  await say(boo, agent, 'hello')
})

test('[NR481] the transcript of each conversation contains only its own messages', async () => {
  const agent = await boo.makeAgent()
  const words = ['heliotrope', 'aquamarine']
  const runs = await Promise.all(
    words.map((word) =>
      talk(boo, agent, playing(boo, [{ callTool: 'held' }, { say: `it is ${word}` }]), {
        sessionKey: `agent:${agent.id}:${word}`,
      }),
    ),
  )
  await Promise.all(runs.map((run) => run.until((event) => event.type === 'tool-call')))
  await boo.release()
  for (const run of runs) expect(await run.end()).toMatchObject({ outcome: 'completed' })
  const texts = [...(await transcripts(agent)).values()]
  expect(texts).toHaveLength(2)
  for (const text of texts) expect(words.filter((word) => text.includes(word))).toHaveLength(1)
})

/** Starts a command that outlives its run. Returns its process id. */
async function leaveRunning(agent: AgentRecord): Promise<number> {
  const start = { callTool: 'exec', with: { command: boo.programs.hold, background: true } }
  const before = (await boo.heldPids()).length
  await say(boo, agent, scriptPrompt([[start], [{ say: 'started' }]]))
  await until(async () => (await boo.heldPids()).length > before)
  const pid = (await boo.heldPids()).at(-1)!
  expect(isAlive(pid)).toBe(true)
  return pid
}

test('[NR482] a background command outlives its run and ends with the runtime', async () => {
  const pid = await leaveRunning(await boo.makeAgent())
  await boo.runtime.dispose!()
  await until(() => !isAlive(pid))
})

test('[NR482] an agent’s background commands end when the agent is forgotten, and others keep theirs', async () => {
  const [agent, other] = [await boo.makeAgent(), await boo.makeAgent()]
  const [pid, kept] = [await leaveRunning(agent), await leaveRunning(other)]
  await boo.runtime.forget!(agent.id)
  await until(() => !isAlive(pid))
  expect(isAlive(kept)).toBe(true)
})

test('[NR483] removing an agent during a run ends the run, and nothing is written afterwards', async () => {
  const agent = await boo.makeAgent()
  const run = await talk(boo, agent, playing(boo, [{ callTool: 'held' }, { say: 'never said' }]))
  await run.until((event) => event.type === 'tool-call')
  const starting = talk(boo, agent, 'hello', { sessionKey: `agent:${agent.id}:second` })
  const refused = expect(starting).rejects.toMatchObject({ code: 'agent_not_found' })
  await boo.runtime.forget!(agent.id)
  await refused
  expect(await run.end()).toMatchObject({ type: 'done', outcome: 'aborted' })
  await boo.agentSource.deleteAgent(agent.id)
  await boo.release()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(existsSync(join(boo.homeFolder, agent.id))).toBe(false)
  expect(boo.calls()).toHaveLength(1)
})

test('[NR484] an agent without the process tool waits for its commands', async () => {
  const agent = await boo.makeAgent({ tools: { deny: ['process'] }, exec: { security: 'full' } })
  const start = { callTool: 'exec', with: { command: 'sleep 0.2; echo over', background: true, yieldMs: 10 } }
  const { events } = await say(boo, agent, scriptPrompt([[start], [{ say: 'done' }]]))
  expect(events.find((event) => event.type === 'tool-result')).toMatchObject({ text: 'over', isError: false })
  const tools = JSON.stringify(boo.calls()[0]!.tools)
  expect(tools).not.toContain('background')
  expect(tools).not.toContain('process tool')
  const { tools: shown } = await boo.runtime.inspect!(agent, `agent:${agent.id}:main`)
  expect(shown.find(({ name }) => name === 'process')).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('denied'),
  })
})

test('[NR485] conversations that begin together all finish, even when there are more than are kept open', async () => {
  const agent = await boo.makeAgent()
  const inConversation = (name: string, text: string) =>
    talk(boo, agent, text, { sessionKey: `agent:${agent.id}:${name}` })
  const names = Array.from({ length: 20 }, (_, at) => String(at))
  const held = await Promise.all(
    names.map((name) => inConversation(`held-${name}`, playing(boo, [{ callTool: 'held' }, { say: 'over' }]))),
  )
  await Promise.all(held.map((run) => run.until((event) => event.type === 'tool-call')))
  for (let round = 0; round < 5; round++) {
    const runs = await Promise.all(names.map((name) => inConversation(name, `round ${round}`)))
    for (const run of runs) expect(await run.end()).toMatchObject({ outcome: 'completed' })
  }
  await boo.release()
  for (const run of held) expect(await run.end()).toMatchObject({ outcome: 'completed' })
})

test('[NR486] simultaneous first conversations of a new agent all start, with complete bootstrap files', async () => {
  const agent = await boo.makeAgent()
  const keys = Array.from({ length: 12 }, (_, at) => `agent:${agent.id}:${at}`)
  const runs = await Promise.all(keys.map((sessionKey) => talk(boo, agent, 'hello', { sessionKey })))
  for (const run of runs) expect(await run.end()).toMatchObject({ outcome: 'completed' })
  const workspace = join(boo.homeFolder, agent.id, 'workspace')
  const names = await readdir(workspace)
  expect(names).toContain('SOUL.md')
  expect(names.filter((name) => name.includes('draft'))).toEqual([])
})
