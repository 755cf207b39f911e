import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Refusal } from '../stand-in/test-gateway-method.ts'
import { NEEDED_SCOPES } from './connection-problem.ts'
import type { GatewayFrame } from './gateway-frames.ts'
import { createConnection, openConnection, openGateway, secretsInMemory } from './test-connection.ts'

afterEach(() => void vi.useRealTimers())

/** Fakes only timers; sockets are real. */
const fakeTimers = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
/** Waits for data in transit. */
const arrivals = () => pause(60)

test('[OC1] an open connection has the version, the boot id and the scopes of its Gateway', async () => {
  const gateway = await openGateway()
  const { connection, statuses } = await openConnection(gateway)
  expect(connection.status()).toMatchObject({
    state: 'connected',
    problem: null,
    hello: { scopes: NEEDED_SCOPES, mainKey: 'main', version: expect.stringMatching(/^20/) },
  })
  expect(statuses.map(({ state }) => state)).toEqual(['connecting', 'connected'])
})

test('[OC2] a connection sends no Origin header and a client id from the Gateway’s list', async () => {
  const gateway = await openGateway()
  await openConnection(gateway)
  expect(gateway.tried).toHaveLength(1)
  expect(gateway.tried[0]).not.toHaveProperty('origin')
  expect(gateway.sent[0]).toMatchObject({
    method: 'connect',
    params: {
      client: { id: 'gateway-client', mode: 'backend', displayName: 'Clawboo' },
      role: 'operator',
      minProtocol: 4,
      maxProtocol: 4,
    },
  })
})

test('[OC3] until it first opens, it is retried after 2 s, then after doubled delays up to 60 s', async () => {
  const { port, tries } = await deadEnd()
  fakeTimers()
  const { connection, statuses } = createConnection()
  await connection.open({ address: `ws://127.0.0.1:${port}`, secret: null })
  expect(connection.status()).toMatchObject({ state: 'connecting', problem: { code: 'unreachable' } })
  expect(tries()).toBe(1)
  for (const [before, seconds] of [2, 4, 8, 16, 32, 60, 60].entries()) {
    const failures = statuses.length
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    await arrivals()
    expect(tries()).toBe(before + 1)
    await vi.advanceTimersByTimeAsync(1)
    // Not a poll, because a poll would advance the fake time.
    while (statuses.length === failures) await arrivals()
    expect([tries(), statuses.length]).toEqual([before + 2, failures + 1])
  }
})

test('[OC3] an address without a listener is reported as unreachable, and connects once one listens', async () => {
  const first = await openGateway()
  const { port, token } = first
  await first.close()
  const { connection } = createConnection()
  await connection.open({ address: `ws://127.0.0.1:${port}`, secret: token })
  expect(connection.status()).toMatchObject({ state: 'connecting', problem: { code: 'unreachable' } })
  await openGateway({ port, token })
  await expect.poll(() => connection.status().state).toBe('connected')
})

test('[OC4] a connection that was open once reconnects automatically, with one attempt at a time', async () => {
  const gateway = await openGateway()
  const { connection, statuses } = await openConnection(gateway)
  const { bootId } = connection.status().hello!
  for (const times of [2, 3]) {
    gateway.dropConnections()
    await expect.poll(() => connection.status().state).toBe('reconnecting')
    await expect.poll(() => connection.status().state).toBe('connected')
    await arrivals()
    expect(gateway.tried).toHaveLength(times)
  }
  expect(connection.status().hello?.bootId).toBe(bootId)
  expect(statuses.map(({ state }) => state).slice(-4)).toEqual([
    'reconnecting',
    'connected',
    'reconnecting',
    'connected',
  ])
})

test('[OC5] a wrong token is not retried until a person acts', async () => {
  const gateway = await openGateway()
  fakeTimers()
  const { connection } = createConnection()
  await connection.open({ address: gateway.url, secret: 'another' })
  expect(connection.status()).toMatchObject({ state: 'disconnected', problem: { code: 'secret_wrong' } })
  await vi.advanceTimersByTimeAsync(600_000)
  await arrivals()
  expect(gateway.tried).toHaveLength(1)
  await connection.open({ address: gateway.url, secret: null })
  expect(connection.status()).toMatchObject({ state: 'disconnected', problem: { code: 'secret_missing' } })
  vi.useRealTimers()
  await connection.open({ address: gateway.url, secret: gateway.token })
  expect(connection.status()).toMatchObject({ state: 'connected', problem: null })
})

test('[OC5] a token that becomes invalid during a connection also waits for a person', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  gateway.token = 'changed by somebody'
  gateway.dropConnections()
  await expect.poll(() => connection.status().problem?.code).toBe('secret_wrong')
  await expect.poll(() => connection.status().state).toBe('disconnected')
  expect(gateway.tried).toHaveLength(2)
})

test('[OC6] a starting Gateway is reported as starting, and retried', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const gateway = await openGateway({ refuseUntil: promise })
  const { connection } = createConnection()
  await connection.open({ address: gateway.url, secret: gateway.token })
  expect(connection.status()).toMatchObject({ state: 'connecting', problem: { code: 'starting' } })
  resolve()
  await expect.poll(() => connection.status().state).toBe('connected')
})

test('[OC7] when a token alone gives no scopes, a device is presented, always the same one', async () => {
  const gateway = await openGateway({ scopes: [] })
  const secrets = secretsInMemory()
  for (const _ of [1, 2]) {
    const { connection } = createConnection(secrets)
    await connection.open({ address: gateway.url, secret: gateway.token })
    expect(connection.status()).toMatchObject({ state: 'connected', hello: { scopes: NEEDED_SCOPES } })
  }
  const shown = gateway.sent.map(({ params }) => (params.device as { id: string } | undefined)?.id)
  expect(shown).toEqual([undefined, expect.stringMatching(/^[0-9a-f]{64}$/), undefined, shown[1]])
})

test('[OC7] a Gateway that requires a device gets one', async () => {
  const gateway = await openGateway({ requiresDevice: true })
  const { connection } = await openConnection(gateway)
  expect(connection.status()).toMatchObject({ state: 'connected', problem: null })
})

test('[OC8] scopes that are missing even with a device are a problem that names them and the remedy', async () => {
  const gateway = await openGateway({ scopes: [], deviceScopes: ['operator.read', 'operator.write'] })
  const { connection } = await openConnection(gateway)
  expect(connection.status()).toMatchObject({
    state: 'connecting',
    hello: { scopes: ['operator.read', 'operator.write'] },
    problem: {
      code: 'scopes_missing',
      message: expect.stringMatching(/operator\.admin, operator\.approvals/),
      remedy: expect.stringMatching(/\S/),
    },
  })
  await expect(connection.call('agents.list')).rejects.toMatchObject({ code: 'upstream_disconnected' })
})

test('[OC9] another protocol version is reported as such', async () => {
  const gateway = await openGateway()
  gateway.answers.connect = () => {
    const details = { code: 'PROTOCOL_MISMATCH', expectedProtocol: 5 }
    throw new Refusal('protocol mismatch', { details })
  }
  const { connection } = await openConnection(gateway)
  expect(connection.status()).toMatchObject({ state: 'connecting', problem: { code: 'version_unsupported' } })
})

test('[OC10] a restart of the Gateway is detected by its boot id', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  const before = connection.status().hello!.bootId
  gateway.restart()
  await expect.poll(() => connection.status().state).toBe('reconnecting')
  await expect.poll(() => connection.status().state).toBe('connected')
  expect(connection.status().hello!.bootId).not.toBe(before)
})

test('[OC13] the secret is in no message, and is sent only to its own address', async () => {
  const secret = 'a-secret-nobody-may-read'
  const elsewhere = await openGateway()
  const sender = await redirecting(elsewhere.url)
  const wrong = await openGateway({ token: 'another' })
  const { connection, statuses } = createConnection()
  const answers: unknown[] = []
  for (const address of [sender, wrong.url, 'ws://127.0.0.1:1']) {
    await connection.open({ address, secret })
    answers.push(await connection.call('agents.list').catch((error: Error) => [error.message, error.stack, error]))
  }
  expect(elsewhere.tried).toEqual([])
  expect(JSON.stringify([statuses, answers])).not.toContain(secret)
})

test('[OC14] after a close, nothing is retried and no event arrives', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  const frames: GatewayFrame[] = []
  connection.onFrame((frame) => frames.push(frame))
  gateway.say('tick', {})
  await expect.poll(() => frames).toEqual([{ event: 'tick', payload: {} }])
  await connection.close()
  expect(connection.status()).toMatchObject({ state: 'disconnected', problem: null })
  gateway.say('tick', {})
  fakeTimers()
  const { port, tries } = await deadEnd()
  await connection.open({ address: `ws://127.0.0.1:${port}`, secret: null })
  await connection.close()
  await vi.advanceTimersByTimeAsync(600_000)
  await arrivals()
  expect([tries(), gateway.tried.length, frames.length]).toEqual([1, 1, 1])
})

test('[OC14] a second open replaces the first, and only its events arrive', async () => {
  const [one, other] = [await openGateway(), await openGateway()]
  const { connection } = await openConnection(one)
  const frames: GatewayFrame[] = []
  connection.onFrame((frame) => frames.push(frame))
  const wishes = [one, other, one, other].map(({ url, token }) => connection.open({ address: url, secret: token }))
  await Promise.all(wishes)
  await expect.poll(() => connection.status().state).toBe('connected')
  await arrivals()
  one.say('presence', { from: 'one' })
  other.say('presence', { from: 'other' })
  await expect.poll(() => frames).toEqual([{ event: 'presence', payload: { from: 'other' } }])
})

test('[OC15] lost frames are reported to change listeners', async () => {
  const gateway = await openGateway()
  const { connection, statuses } = await openConnection(gateway)
  gateway.say('tick', {})
  const before = statuses.length
  gateway.loseFrame()
  gateway.say('tick', {})
  await expect.poll(() => statuses.length).toBe(before + 1)
  expect(connection.status().state).toBe('connected')
})

/** Accepts connections and closes them at once. */
async function deadEnd(): Promise<{ readonly port: number; tries(): number }> {
  let tries = 0
  const server = createServer((socket) => {
    tries += 1
    socket.on('error', () => {})
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, tries: () => tries }
}

/** A server that redirects every client to another address. */
async function redirecting(to: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\nLocation: ${to.replace('ws', 'http')}\r\n\r\n`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}`
}
