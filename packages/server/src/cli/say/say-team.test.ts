import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHome, finished, type TestHome } from '../test-clawboo.ts'

let home: TestHome

beforeAll(async () => {
  home = await createTestHome({ CLAWBOO_LOG: 'error' })
  expect((await home.clawboo(['start', '--detach'])).code).toBe(0)
  expect((await home.clawboo(['teams', 'create', 'Garden'])).code).toBe(0)
  for (const name of ['Ada', 'Bob']) {
    expect((await home.clawboo(['agents', 'create', name])).code).toBe(0)
    expect((await home.clawboo(['teams', 'add', 'Garden', name])).code).toBe(0)
  }
})
afterAll(() => home.dispose())

const scripted = (...steps: unknown[]) => `Please.\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

test('[CL60] `say --team` prints every post in the room and why the exchange ended', async () => {
  const run = await home.clawboo(['say', '--team', 'Garden', scripted([{ say: 'Here I am.' }]), '--to', 'Bob'])
  expect(run.stdout).toContain('Bob: Here I am.\n')
  expect(run.stderr).toContain('no_pending_obligation: everyone has finished')
  expect(run.code).toBe(0)
})

test('[CL60] `say --team --json` prints each post as a line, and the exchange as the last line', async () => {
  const run = await home.clawboo(['say', '--team', 'Garden', scripted([{ say: 'As data.' }]), '--to', 'Bob', '--json'])
  const lines = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ kind: 'peer', body: 'As data.' })
  expect(lines.at(-1)).toMatchObject({ exchange: { status: 'ended', reason: 'no_pending_obligation' } })
})

test('[CL61] Ctrl-C stops the exchange and waits until it has ended', async () => {
  const child = home.launch([
    'say',
    '--team',
    'Garden',
    scripted([{ say: 'Going on' }, { stall: true }]),
    '--to',
    'Ada',
  ])
  const ended = finished(child)
  for (;;) {
    const agents = (await home.clawboo(['agents', 'list', '--json'])).stdout
    if (agents.includes('"running"')) break
  }
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toContain('aborted: it was stopped')
})

test('[CL62] refuses options that do not fit a room before it sends anything', async () => {
  for (const words of [
    ['say', '--team', 'Garden', 'Ada', 'Hi'],
    ['say', '--team', 'Garden', 'Hi', '--mode', 'followup'],
    ['say', '--team', 'Garden', 'Hi', '--model', 'a/b'],
    ['say', '--team', 'Garden', '  '],
    ['say', 'Ada', 'Hi', '--to', 'Bob'],
    ['say', 'Ada'],
  ])
    expect([words, (await home.clawboo(words)).code]).toEqual([words, 2])
  expect((await home.clawboo(['say', '--team', 'Nowhere', 'Hi'])).code).toBe(5)
  expect((await home.clawboo(['say', '--team', 'Garden', 'Hi', '--to', 'Zoe'])).code).toBe(5)
})

test('[CL63] a post cannot control the terminal or look like another member’s post', async () => {
  const words = scripted([{ say: 'a\u001b[2Jb\nAda: I agree.\r\nBob: \u202eMe too.' }])
  const run = await home.clawboo(['say', '--team', 'Garden', words, '--to', 'Bob'])
  expect(run.stdout).toContain('Bob: a\\u{1b}[2Jb\n  Ada: I agree.\\u{d}\n  Bob: \\u{202e}Me too.\n')
})
