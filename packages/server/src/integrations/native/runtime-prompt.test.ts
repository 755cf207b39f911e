import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestRuntime, SCRIPTED, type TestRuntime, textsIn, type WireRequest } from './test-runtime.ts'
import { detailsOf, say, talk } from './test-talk.ts'

const DAY = 24 * 3_600_000
const CLAUDE = 'anthropic/claude-haiku-4-5'

let boo: TestRuntime
let at = Date.UTC(2026, 0, 1, 9, 41)
beforeEach(async () => {
  at = Date.UTC(2026, 0, 1, 9, 41)
  boo = await openTestRuntime({ now: () => at })
  await boo.host.secrets.store('ANTHROPIC_API_KEY', 'not-a-real-key')
})
afterEach(() => boo.dispose())

/** The parts of the system prompt; one part when the provider accepts a single text. */
function systemOf({ system, messages }: WireRequest): string[] {
  return system ? textsIn((system as { text: string }[]).map(({ text }) => text)) : [messages[0]!.content as string]
}

const lastSystem = () => systemOf(boo.calls().at(-1)!).join('')

test('[NR450] over 100 runs with different days, texts, models and answers, the prompt starts with the same bytes', {
  timeout: 180_000,
}, async () => {
  const agent = await boo.makeAgent({ fallbackModels: [] }, { files: { 'SOUL.md': 'You are kind to moss.' } })
  for (let turn = 0; turn < 100; turn++) {
    at += DAY / 3
    const model = turn % 2 === 0 ? CLAUDE : `${SCRIPTED}/boo`
    const answer = { say: `Answer ${turn}` }
    const tool = { callTool: 'write', with: { path: `note-${turn}.txt`, content: `${turn}` } }
    const words = scriptPrompt(turn % 3 === 0 ? [[tool], [answer]] : [[answer]], `Turn ${turn}`)
    const run = await talk(boo, agent, words, { model, sessionKey: `agent:${agent.id}:talk-${turn % 7}` })
    if (turn % 6 === 0) await boo.runtime.steer!(run.handle, { id: `steer-${turn}`, text: `And mind ${turn}` })
    expect(await run.end()).toMatchObject({ type: 'done', outcome: 'completed' })
  }
  const calls = boo.calls()
  expect(calls.length).toBeGreaterThan(130)
  const stable = systemOf(calls[0]!)[0]!
  expect(stable).toContain('You are kind to moss.')
  const beginnings = calls.map((call) => systemOf(call)[0]!.slice(0, stable.length))
  expect(new Set(beginnings)).toEqual(new Set([stable]))
  const days = calls.map((call) => /Today is (\S+) \(UTC\)/.exec(systemOf(call).join('').slice(stable.length))?.[1])
  expect(new Set(days).size).toBeGreaterThan(30)
  expect(days).not.toContain(undefined)
})

test('[NR451] the prompt contains no clock time, and the date follows the stable part', async () => {
  const agent = await boo.makeAgent()
  await say(boo, agent, 'hello', { model: CLAUDE })
  const [stable, rest] = systemOf(boo.calls()[0]!)
  expect(stable).not.toMatch(/2026|\b\d{1,2}:\d{2}\b/)
  expect(rest).toContain('Today is 2026-01-01 (UTC).')
  expect(rest).not.toMatch(/\b\d{1,2}:\d{2}\b/)
})

test('[NR452] a request to Anthropic marks the end of the stable part and has at most four marks', async () => {
  const agent = await boo.makeAgent({ model: CLAUDE })
  const read = { callTool: 'write', with: { path: 'a.txt', content: 'a' } }
  const words = scriptPrompt([[read, read], [read], [read, read, read], [{ say: 'done' }]])
  for (let turn = 0; turn < 3; turn++) await say(boo, agent, words)
  for (const call of boo.calls()) {
    const blocks = call.system as { cache_control?: unknown }[]
    expect(blocks.map(({ cache_control }) => cache_control !== undefined)).toEqual([true, false])
    const marks = JSON.stringify(call).split('"cache_control"').length - 1
    expect([marks >= 3, marks <= 4], `${marks} marks`).toEqual([true, true])
  }
  expect(boo.calls()).toHaveLength(12)
})

test('[NR453] a line of an agent’s file reaches the model, and a changed line does so in the next run', async () => {
  const agent = await boo.makeAgent({}, { files: { 'SOUL.md': 'You are kind to moss.' } })
  await say(boo, agent, 'hello')
  expect(lastSystem()).toContain('You are kind to moss.')
  await boo.agentSource.writeFile(agent.id, 'SOUL.md', 'You are kind to ferns.')
  await say(boo, agent, 'hello')
  expect(lastSystem()).toContain('You are kind to ferns.')
  expect(lastSystem()).not.toContain('moss')
})

test('[NR14] the files are in every run, or in none when the agent’s settings say never', async () => {
  const files = { 'SOUL.md': 'You are kind to moss.' }
  for (const [injection, shown] of [
    ['always', true],
    ['never', false],
  ] as const) {
    const agent = await boo.makeAgent({ bootstrap: { injection } }, { files })
    for (let turn = 0; turn < 2; turn++) {
      await say(boo, agent, 'hello')
      expect(lastSystem().includes('You are kind to moss.')).toBe(shown)
    }
  }
})

async function writeSkill(root: string, name: string, description: string): Promise<string> {
  const file = join(root, name, 'SKILL.md')
  await mkdir(join(root, name), { recursive: true })
  await writeFile(file, `---\nname: ${name}\ndescription: ${description}\n---\n\nThe body of ${name}.\n`)
  return file
}

test('[NR454] a new or changed skill is in the next run', async () => {
  const agent = await boo.makeAgent()
  const skills = join(boo.homeFolder, agent.id, 'workspace', 'skills')
  await say(boo, agent, 'hello')
  expect(lastSystem()).not.toContain('count-birds')
  await writeSkill(skills, 'count-birds', 'Counts birds by day.')
  await say(boo, agent, 'hello')
  expect(lastSystem()).toContain('Counts birds by day.')
  await writeSkill(skills, 'count-birds', 'Counts owls by night.')
  await say(boo, agent, 'hello')
  expect(lastSystem()).toContain('Counts owls by night.')
  expect(lastSystem()).not.toContain('Counts birds by day.')
  expect((await boo.runtime.inspect!(agent, `agent:${agent.id}:main`)).skills).toContainEqual(
    expect.objectContaining({ name: 'count-birds', description: 'Counts owls by night.', eligible: true }),
  )
})

test('[NR455] a skill outside the workspace can be read but not written', async () => {
  const agent = await boo.makeAgent()
  const path = await writeSkill(join(boo.userHome, '.agents', 'skills'), 'count-birds', 'Counts birds.')
  const beside = join(boo.userHome, '.agents', 'secret.txt')
  await writeFile(beside, 'secret')
  const script = [
    [{ callTool: 'read', with: { path } }],
    [{ callTool: 'write', with: { path, content: 'mine now' } }],
    [{ callTool: 'edit', with: { path, edits: [{ oldText: 'body', newText: 'soul' }] } }],
    [{ callTool: 'read', with: { path: beside } }],
    [{ say: 'done' }],
  ]
  const { events } = await say(boo, agent, scriptPrompt(script))
  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event] : []))
  expect(results.map(({ isError }) => isError)).toEqual([false, true, true, true])
  expect(results[0]!.text).toContain('The body of count-birds.')
  expect(results[3]!.text).not.toBe('secret')
  expect(await readFile(path, 'utf8')).toContain('The body of count-birds.')
})

test('[NR456] a file that does not fit is reported in the run and in the inspection, with both sizes', async () => {
  const text = `# First\n${'moss '.repeat(2000)}\n# Second\n${'fern '.repeat(2000)}\n`
  const agent = await boo.makeAgent({}, { files: { 'AGENTS.md': text } })
  const { events } = await say(boo, agent, 'hello')
  const notices = detailsOf(events, 'notice').filter((line) => line.startsWith('AGENTS.md'))
  expect(notices).toEqual([expect.stringMatching(/^AGENTS\.md: \d+ of \d+ characters shown, 40 % removed/)])
  expect(lastSystem()).toContain('[Bootstrap truncation warning]')
  const { files } = await boo.runtime.inspect!(agent, `agent:${agent.id}:main`)
  const row = files.find(({ name }) => name === 'AGENTS.md')!
  expect(row).toMatchObject({ characters: text.length, problem: expect.stringContaining('Shortened') })
  expect(row.injectedCharacters).toBeLessThanOrEqual(12_000)
  expect(notices[0]).toContain(`${row.injectedCharacters} of ${text.length} `)
  expect(row.lostHeadings).toContain('Second (in part)')
})
