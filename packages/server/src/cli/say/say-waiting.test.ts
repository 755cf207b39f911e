import { PassThrough } from 'node:stream'
import type { Client } from '@clawboo/api/client'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { runCommandLine } from '../run-command-line.ts'
import { demandServer } from '../server/running-server.ts'
import { createTestHome, finished, type TestHome } from '../test-clawboo.ts'

let home: TestHome
let client: Client

beforeAll(async () => {
  home = await createTestHome({ CLAWBOO_LOG: 'error' })
  expect((await home.clawboo(['start', '--detach'])).code).toBe(0)
  client = (await demandServer(readConfig({ CLAWBOO_HOME: home.home }))).client
})
afterAll(() => home.dispose())

const scripted = (...steps: unknown[]) => `Please.\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

/** A Boo with it asks before each command that is not on its allow-list. */
const ASKING = { exec: { ask: 'on-miss' } }

/** Creates a Boo that runs until it is stopped. */
async function busyBoo(name: string) {
  const { id } = await client.createAgent({ body: { name } })
  const { runId } = await client.sendMessage({
    params: { agentId: id },
    body: { text: scripted([{ say: 'At it' }, { stall: true }]) },
  })
  const waiting = async (count: number) => {
    const params = { agentId: id }
    return until(async () => {
      const { messages } = await client.listMessages({ params, query: { state: 'queued' } })
      return messages.length === count ? messages : null
    })
  }
  return { id, waiting, stop: () => client.stopRun({ params: { runId: runId! } }) }
}

async function until<T>(look: () => T | null | Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs `say` as if at a terminal. */
function sayAtTerminal(name: string, text: string) {
  const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }))
  let seen = ''
  for (const stream of [stdout!, stderr!]) stream.on('data', (chunk) => (seen += String(chunk)))
  const code = runCommandLine(['say', name, text], {
    env: { CLAWBOO_HOME: home.home },
    stdin: stdin!,
    stdout: stdout!,
    stderr: stderr!,
  })
  const sees = (words: string) => until(() => (seen.includes(words) ? seen : null))
  return { code, sees, type: (line: string) => stdin!.write(line) }
}

/** The open question of a Boo's run. */
const openItem = (agentId: string) =>
  until(async () => {
    const { items } = await client.listAttention({ query: { state: 'open', limit: 500 } })
    return items.find((item) => item.agentId === agentId) ?? null
  })

test('[CL45] joined messages each show the run that answers them all', async () => {
  const boo = await busyBoo('Joiner')
  const text = scripted([{ say: 'To all of you.' }])
  const says = [1, 2].map(() => home.clawboo(['say', 'Joiner', text, '--mode', 'collect', '--json']))
  await boo.waiting(2)
  await boo.stop()
  const [first, second] = await Promise.all(says)
  expect([first!.code, second!.code]).toEqual([0, 0])
  expect(first!.stdout).toBe(second!.stdout)
  const events = first!.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RuntimeEvent)
  expect(events[0]).toMatchObject({ type: 'status', state: 'started' })
  expect(events.at(-1)).toMatchObject({ type: 'done', outcome: 'completed' })
})

test('[CL46] `say` fails with a message when its message is withdrawn or dropped', async () => {
  const boo = await busyBoo('Dropper')
  await client.changeConversation({ params: { agentId: boo.id }, body: { cap: 1, drop: 'old' } })
  const [first, second] = [
    home.clawboo(['say', 'Dropper', 'first', '--mode', 'followup']),
    boo.waiting(1).then(() => home.clawboo(['say', 'Dropper', 'second', '--mode', 'followup', '--json'])),
  ]
  expect(await first).toMatchObject({ code: 1, stdout: '' })
  expect((await first).stderr).toContain('the message was dropped from the queue: the queue was full')
  const [left] = await boo.waiting(1)
  await client.withdrawMessage({ params: { agentId: boo.id, messageId: left!.id } })
  expect((await second).json()).toMatchObject({ error: { code: 'message_withdrawn' } })
  expect((await second).code).toBe(1)
  await boo.stop()
})

test('[CL47] closes a question that is answered in the page, and continues to print the run', async () => {
  const { id } = await client.createAgent({ body: { name: 'Asker', execConfig: ASKING } })
  const command = 'uname -r # \u001b[2K\u202e'
  const say = sayAtTerminal('Asker', scripted([{ callTool: 'exec', with: { command } }], [{ say: 'Went on.' }]))
  expect(await say.sees('Allow it?')).toContain('uname -r # \\u{1b}[2K\\u{202e}')
  await client.answerAttention({ params: { itemId: (await openItem(id)).id }, body: { answer: 'deny' } })
  expect(await say.sees('Went on.')).toContain('The run no longer needs an answer.')
  expect(await say.code).toBe(0)
})

test('[CL47] closes a question when its run ends', async () => {
  const { id } = await client.createAgent({ body: { name: 'Stopped', execConfig: ASKING } })
  const say = sayAtTerminal('Stopped', scripted([{ callTool: 'exec', with: { command: 'uname -r' } }]))
  await say.sees('Allow it?')
  await client.stopAgent({ params: { agentId: id }, body: {} })
  expect(await say.code).toBe(1)
})

test('[CL47] sends an answer from the terminal; leaves the question to the page when the input is closed', async () => {
  await client.createAgent({ body: { name: 'Here', execConfig: ASKING } })
  const script = scripted([{ callTool: 'exec', with: { command: 'uname -r' } }], [{ say: 'Went on.' }])
  const say = sayAtTerminal('Here', script)
  await say.sees('Allow it?')
  say.type('y\n')
  expect(await say.sees('Went on.')).not.toContain('no longer needs')
  expect(await say.code).toBe(0)
  const { id } = await client.createAgent({ body: { name: 'There', execConfig: ASKING } })
  const other = sayAtTerminal('There', script)
  await other.sees('Allow it?')
  other.type('\u0004')
  await other.sees('Answer in the page')
  await client.answerAttention({ params: { itemId: (await openItem(id)).id }, body: { answer: 'deny' } })
  expect(await other.code).toBe(0)
})

test('[CL48] Ctrl-C withdraws a message that still waits and leaves the other run alone', async () => {
  const boo = await busyBoo('Waiter')
  const child = home.launch(['say', 'Waiter', 'later', '--mode', 'followup'])
  const [message] = await boo.waiting(1)
  const ended = finished(child)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130 })
  const { messages } = await client.listMessages({ params: { agentId: boo.id } })
  expect(messages.find(({ id }) => id === message!.id)).toMatchObject({ state: 'withdrawn' })
  expect(messages[0]).toMatchObject({ state: 'delivered' })
  expect(await boo.stop()).toMatchObject({ stopped: expect.any(String) })
})

test('[CL49] `say` fails with one line when the server dies during a run', async () => {
  const other = await createTestHome({ CLAWBOO_LOG: 'error' })
  try {
    expect((await other.clawboo(['start', '--detach'])).code).toBe(0)
    expect((await other.clawboo(['agents', 'create', 'Ada'])).code).toBe(0)
    const { note } = await demandServer(readConfig({ CLAWBOO_HOME: other.home }))
    const child = other.launch(['say', 'Ada', scripted([{ say: 'Going on' }, { stall: true }])])
    await new Promise<void>((resolve) => child.stdout.on('data', (text) => String(text).includes('Going') && resolve()))
    const ended = finished(child)
    process.kill(note.pid, 'SIGKILL')
    expect(await ended).toMatchObject({
      code: 3,
      stderr: 'clawboo: the server stopped before the Boo finished\n',
    })
  } finally {
    await other.dispose()
  }
})
