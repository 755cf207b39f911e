import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptPrompt } from '@clawboo/scripted-model'
import { describe, expect, inject, test } from 'vitest'
import { startGateway } from './gateway-process.ts'
import { ALL_SCOPES, connectRaw } from './raw-client.ts'

const shared = inject('openclaw')

/** One run in its own session: the text before a script keeps its fence at the start of a line. */
async function takeTurn(gateway: { url: string; token: string }, say: string) {
  const { client, hello } = await connectRaw(gateway)
  const runId = randomUUID()
  const sessionKey = `agent:main:${runId}`
  await client.request('chat.send', {
    sessionKey,
    message: scriptPrompt([{ say }, { usage: { input: 1000, output: 500 } }], 'Play this.'),
    idempotencyKey: runId,
  })
  const final = await client.until(({ event, payload }) => {
    const { runId: id, state } = (payload ?? {}) as { runId?: string; state?: string }
    return event === 'chat' && id === runId && ['final', 'error', 'aborted'].includes(state!)
  })
  // The last frame of a run can come before the row of its answer is stored.
  const lastRole = async () =>
    ((await client.request('chat.history', { sessionKey })).messages as { role: string }[]).at(-1)?.role
  await expect.poll(lastRole).toBe('assistant')
  const history = await client.request('chat.history', { sessionKey })
  await client.close()
  return { hello, final, history }
}

test('[OC80] the shared Gateway accepts its token and grants every requested scope', async () => {
  const { client, hello } = await connectRaw(shared)
  expect(hello).toMatchObject({ type: 'hello-ok', protocol: 4, auth: { scopes: [...ALL_SCOPES] } })
  await client.close()
})

test('[OC81] a run plays the script in its prompt, and its history row has tokens and their price', async () => {
  const { final, history } = await takeTurn(shared, 'Hello from a script.')
  expect(final.payload).toMatchObject({ state: 'final', message: { content: [{ text: 'Hello from a script.' }] } })
  expect((history.messages as unknown[]).at(-1)).toMatchObject({
    role: 'assistant',
    model: 'boo',
    usage: { input: 1000, output: 500, cost: { total: 0.002 } },
  })
})

describe('[OC82] a private Gateway', () => {
  test('[OC82] is killed with all its processes and restarts with its state', async () => {
    const gateway = await startGateway()
    try {
      const before = await takeTurn(gateway, 'Before.')
      await gateway.kill()
      await expect(connectRaw(gateway)).rejects.toThrow()
      await gateway.restart()
      const { client, hello } = await connectRaw(gateway)
      expect(hello.server).not.toMatchObject({ bootId: (before.hello.server as { bootId: string }).bootId })
      const { messages } = await client.request('chat.history', { sessionKey: before.history.sessionKey })
      expect((messages as unknown[]).length).toBe(2)
      await client.close()
    } finally {
      await gateway.stop()
    }
  })
})

test('[OC83] no process or file of a Gateway outlives the process that started it, even after a kill', async () => {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'hold-gateway.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(holder.stdout, 'data')) as [Buffer]
  const { pid, dir } = JSON.parse(String(line)) as { pid: number; dir: string }
  expect(isThere(-pid)).toBe(true)
  holder.kill('SIGKILL')
  await expect.poll(() => isThere(-pid)).toBe(false)
  await expect.poll(() => existsSync(dir)).toBe(false)
})

function isThere(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}
