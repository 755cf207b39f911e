import { expect, onTestFinished, test } from 'vitest'
import { openTestLine } from '../stand-in/test-line.ts'
import { createConnection, openConnection, openGateway } from './test-connection.ts'

test('[OC11] a call without a connection, or cut off before its answer, fails with upstream_disconnected', async () => {
  const gateway = await openGateway()
  const line = await openTestLine(gateway.port)
  onTestFinished(() => line.close())
  const { connection } = createConnection()
  await expect(connection.call('agents.list')).rejects.toMatchObject({ code: 'upstream_disconnected' })
  await connection.open({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  gateway.answers['models.list'] = () => new Promise(() => {})
  const underWay = connection.call('models.list').catch((error: unknown) => error)
  await expect.poll(() => gateway.sent.at(-1)?.method).toBe('models.list')
  line.cut()
  expect(await underWay).toMatchObject({ code: 'upstream_disconnected' })
  await expect(connection.call('agents.list')).rejects.toMatchObject({ code: 'upstream_disconnected' })
  await expect.poll(() => connection.status().state).toBe('reconnecting')
  line.mend()
  await expect.poll(() => connection.status().state).toBe('connected')
  await expect(connection.call('agents.list')).resolves.toMatchObject({ mainKey: 'main' })
})

test('[OC11] a call that times out fails with upstream_disconnected', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  gateway.answers['models.list'] = () => new Promise(() => {})
  await expect(connection.call('models.list', {}, { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'upstream_disconnected',
  })
})

test('[OC12] a refusal contains the Gateway’s own message', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  for (const [method, params, words] of [
    ['agents.frobnicate', {}, 'unknown method: agents.frobnicate'],
    ['agents.list', { foo: 1 }, "unexpected property 'foo'"],
    ['agents.update', { agentId: 'nobody', name: 'x' }, 'agent "nobody" not found'],
  ] as const)
    await expect(connection.call(method, params)).rejects.toMatchObject({
      code: 'upstream_refused',
      message: expect.stringContaining(words),
      details: { method, gatewayCode: 'INVALID_REQUEST', words: expect.stringContaining(words) },
    })
})

test('[OC12] too many changes in a minute fail with rate_limited and the time to wait', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  const { hash } = await connection.call<{ hash: string }>('config.get')
  for (let time = 0; time < 30; time++) await connection.call('config.patch', { raw: '{}', baseHash: hash })
  await expect(connection.call('config.patch', { raw: '{}', baseHash: hash })).rejects.toMatchObject({
    code: 'rate_limited',
    details: { retryAfterMs: 60_000 },
  })
})
