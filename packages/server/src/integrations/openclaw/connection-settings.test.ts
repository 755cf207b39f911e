import { expect, onTestFinished, test } from 'vitest'
import { openTestHost } from '../test-host.ts'
import { checkAddress, createConnectionSettings } from './connection-settings.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import { openGateway } from './gateway/test-connection.ts'
import { openTestRoles } from './stand-in/test-integration.ts'

async function openHost() {
  const test = await openTestHost(OPENCLAW_ID)
  onTestFinished(() => test.dispose())
  return test
}

async function openConnectionOf(host: Awaited<ReturnType<typeof openHost>>) {
  const { connection, agentSource } = openTestRoles(host.host)
  onTestFinished(() => agentSource.stop())
  return { connection, source: agentSource }
}

test('[OC25] an unencrypted connection is allowed only on this machine', () => {
  for (const [typed, address] of [
    ['ws://127.0.0.1:18789', 'ws://127.0.0.1:18789'],
    [' localhost:18789 ', 'ws://localhost:18789'],
    ['127.0.0.53:1', 'ws://127.0.0.53:1'],
    ['http://[::1]:18789/', 'ws://[::1]:18789'],
    ['https://gateway.example/path/', 'wss://gateway.example/path'],
    ['wss://10.0.0.7#x', 'wss://10.0.0.7'],
  ])
    expect(checkAddress(typed!)).toBe(address)
  for (const typed of [
    'ws://10.0.0.7:18789',
    'ws://gateway.example',
    'gateway.example:18789',
    'ws://127.0.0.1.example.com',
    'ws://[::2]',
    'ws://localhost.example',
    'ws://127.example',
    'ws://[::ffff:10.0.0.7]',
  ])
    expect(() => checkAddress(typed), typed).toThrow(expect.objectContaining({ code: 'connection_invalid' }))
})

test('[OC26] an invalid Gateway address, or one with a password, is refused with a message', () => {
  for (const typed of [
    '',
    '   ',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'ws://',
    'ws://user@127.0.0.1',
    'ws://a:b@[::1]',
  ])
    expect(() => checkAddress(typed), typed).toThrow(
      expect.objectContaining({ code: 'connection_invalid', details: { field: 'address' } }),
    )
  const words = (typed: string) => {
    try {
      return checkAddress(typed)
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(words('ws://somebody:a-password@127.0.0.1')).not.toContain('a-password')
  expect(words(`ftp://${'long'.repeat(1000)}`).length).toBeLessThan(600)
})

test('[OC27] a secret belongs to its address and is removed with it', async () => {
  const { host } = await openHost()
  const settings = createConnectionSettings(host)
  expect(await settings.address()).toBeNull()
  await settings.keep('ws://127.0.0.1:1', 'first\nsecret')
  expect([await settings.address(), await settings.secretFor('ws://127.0.0.1:1')]).toEqual([
    'ws://127.0.0.1:1',
    'first\nsecret',
  ])
  expect(await settings.secretFor('ws://127.0.0.1:2')).toBeNull()
  expect(await settings.secretFor('ws://127.0.0.1')).toBeNull()
  await settings.keep('ws://127.0.0.1:2', null)
  expect(await settings.secretFor('ws://127.0.0.1:1')).toBeNull()
  await settings.keep('ws://127.0.0.1:1', 'again')
  await settings.forget()
  expect([await settings.address(), await settings.secretFor('ws://127.0.0.1:1')]).toEqual([null, null])
})

test('[OC27] a Gateway at another address does not receive the first one’s secret', async () => {
  const [one, other] = [await openGateway({ token: 'only-for-the-first' }), await openGateway()]
  const { connection } = await openConnectionOf(await openHost())
  expect(await connection.connect({ address: one.url, secret: one.token })).toMatchObject({ state: 'connected' })
  const view = await connection.connect({ address: other.url })
  expect(view).toMatchObject({ state: 'disconnected', address: other.url, problem: { code: 'secret_missing' } })
  expect(JSON.stringify([other.sent, other.tried, view])).not.toContain('only-for-the-first')
})

test('[OC28] a configured connection survives restarts until a person removes it', async () => {
  const gateway = await openGateway()
  const host = await openHost()
  const first = await openConnectionOf(host)
  await first.connection.connect({ address: gateway.url, secret: gateway.token })
  await first.source.stop()
  const second = await openConnectionOf(host)
  await second.source.start()
  await expect.poll(async () => (await second.connection.read()).state).toBe('connected')
  expect(await second.connection.disconnect()).toMatchObject({ state: 'disconnected', address: null, problem: null })
  const third = await openConnectionOf(host)
  const tried = gateway.tried.length
  await third.source.start()
  expect(await third.connection.read()).toMatchObject({ state: 'disconnected', address: null })
  expect(gateway.tried).toHaveLength(tried)
})

test('[OC28] a configured connection that fails is kept, and the answer has the problem but no secret', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnectionOf(await openHost())
  const view = await connection.connect({ address: gateway.url, secret: 'a-wrong-secret' })
  expect(view).toMatchObject({ state: 'disconnected', address: gateway.url, problem: { code: 'secret_wrong' } })
  expect(JSON.stringify(view)).not.toContain('a-wrong-secret')
  await expect(connection.connect({ address: 'ws://10.0.0.7', secret: 'x' })).rejects.toMatchObject({
    code: 'connection_invalid',
  })
  expect(await connection.read()).toMatchObject({ address: gateway.url })
  expect(await connection.connect({ address: gateway.url, secret: gateway.token })).toMatchObject({
    state: 'connected',
    version: expect.stringMatching(/^20/),
    problem: null,
  })
})
