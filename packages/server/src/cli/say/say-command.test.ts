import type { RuntimeEvent } from '@clawboo/core/executor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHome, finished, type TestHome } from '../test-clawboo.ts'

let home: TestHome

beforeAll(async () => {
  home = await createTestHome({ CLAWBOO_LOG: 'error' })
  expect((await home.clawboo(['start', '--detach'])).code).toBe(0)
  expect((await home.clawboo(['agents', 'create', 'Ada'])).code).toBe(0)
})
afterAll(() => home.dispose())

const scripted = (...steps: unknown[]) => `Please.\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

test('[CL40] `say` prints the reply to stdout and everything else to stderr', async () => {
  const run = await home.clawboo([
    'say',
    'Ada',
    scripted([{ say: 'Look: ' }, { callTool: 'read', with: { path: 'AGENTS.md' } }], [{ say: 'Done.' }]),
  ])
  expect(run).toMatchObject({ code: 0, stdout: 'Look: \nDone.\n' })
  expect(run.stderr).toContain('> read AGENTS.md')
})

test('[CL41] `say --json` prints each event of the run as a line; the last line reports how the run ended', async () => {
  const run = await home.clawboo(['say', 'Ada', scripted([{ say: 'Hello there.' }]), '--json'])
  const events = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RuntimeEvent)
  expect(events.at(-1)).toMatchObject({ type: 'done', outcome: 'completed', text: 'Hello there.' })
  expect(events.map(({ seq }) => seq)).toEqual([...events.map(({ seq }) => seq)].sort((a, b) => a - b))
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(1)
  expect(run.code).toBe(0)
})

test('[CL42] Ctrl-C stops the run and waits until it has ended', async () => {
  const child = home.launch(['say', 'Ada', scripted([{ say: 'Going on' }, { stall: true }])])
  await new Promise<void>((resolve) => child.stdout.on('data', (text) => String(text).includes('Going') && resolve()))
  const ended = finished(child)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130 })
  const again = await home.clawboo(['say', 'Ada', scripted([{ say: 'Still here.' }])])
  expect(again.stdout).toContain('Still here.')
})

test('[CL44] shows control characters in a reply instead of sending them to the terminal', async () => {
  const run = await home.clawboo(['say', 'Ada', scripted([{ say: 'a\u001b[2Jb\u202ec' }])])
  expect(run.stdout).toBe('a\\u{1b}[2Jb\\u{202e}c\n')
})

test('[CL43] `say` fails with a message when the run fails, and refuses an invalid mode or text before sending', async () => {
  const failed = await home.clawboo(['say', 'Ada', scripted([{ fail: { status: 401, message: 'no such key' } }])])
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('failed')
  expect(await home.clawboo(['say', 'Ada', 'Hi', '--mode', 'shout'])).toMatchObject({ code: 2 })
  expect(await home.clawboo(['say', 'Ada', '  '])).toMatchObject({ code: 2 })
  expect(await home.clawboo(['say', 'Nobody', 'Hi'])).toMatchObject({ code: 5 })
  expect((await home.clawboo(['say', 'Ada', 'Hi', '--model', 'nowhere/none'])).stderr).toContain('nowhere')
})
