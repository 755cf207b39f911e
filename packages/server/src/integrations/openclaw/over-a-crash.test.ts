import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { removeHome, startServer } from '../../../../../test/server-process.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import { openConnection, openGateway } from './gateway/test-connection.ts'
import type { TestGateway } from './stand-in/test-gateway.ts'
import { openTestLine } from './stand-in/test-line.ts'
import type { Json } from './stand-in/test-recordings.ts'

const params = { sourceId: OPENCLAW_ID }
const KEY = 'agent:main:main'

/** A server that is connected to a stand-in and can be killed and restarted. */
async function openServer() {
  const gateway = await openGateway()
  const line = await openTestLine(gateway.port)
  onTestFinished(() => line.close())
  let server = await startServer()
  onTestFinished(async () => {
    await server.stop()
    await removeHome(server.home)
  })
  await server.client.connectSource({ params, body: { address: `ws://127.0.0.1:${line.port}`, secret: gateway.token } })
  const agents = async () => (await server.client.listAgents({ query: { runtime: OPENCLAW_ID } })).agents
  await expect.poll(async () => (await agents()).length).toBe(1)
  const agentId = (await agents())[0]!.id
  return {
    ...{ gateway, line },
    send: (text: string, id?: string) =>
      server.client.sendMessage({ params: { agentId }, body: { text, ...(id && { id }) } }),
    message: async (id: string) =>
      (await server.client.listMessages({ params: { agentId }, query: {} })).messages.find((one) => one.id === id),
    run: async (runId: string) => (await server.client.getRun({ params: { runId } })).run,
    needsYou: async () => (await server.client.listAttention({ query: { state: 'open' } })).items,
    client: () => server.client,
    kill: () => server.kill(),
    startAgain: async () => {
      server = await startServer({ home: server.home })
    },
  }
}

/**
 * The Gateway processes a prompt, but its answer and frames are held until the server is killed. Resolves to the
 * message.
 */
async function dieWhileSending(
  { gateway, send, kill, startAgain }: Awaited<ReturnType<typeof openServer>>,
  taken: (params: Json) => void,
): Promise<string> {
  gateway.answers['chat.send'] = (params) => {
    taken(params)
    return new Promise(() => {})
  }
  const id = randomUUID()
  void send('play turn-plain', id).catch(() => {})
  await expect.poll(() => sends(gateway).length).toBe(1)
  await kill()
  delete gateway.answers['chat.send']
  await startAgain()
  return id
}

const sends = ({ sent }: TestGateway) => sent.filter(({ method }) => method === 'chat.send')
const underWay = ({ sessions }: TestGateway) =>
  [...sessions.byKey.values()].flatMap(({ play }) => [...(play?.underWay ?? [])])

test('[OC73] a run whose server died is marked interrupted and ended at the Gateway, and the next message is answered', async () => {
  const { gateway, send, message, run, needsYou, kill, startAgain } = await openServer()
  const sent = await send('play hang')
  await expect.poll(async () => (await message(sent.message.id))?.state).toBe('delivered')
  await expect.poll(() => underWay(gateway).length).toBe(1)
  await kill()
  await startAgain()
  expect(await run(sent.runId!)).toMatchObject({ outcome: 'interrupted', reason: 'server_died' })
  await expect.poll(() => underWay(gateway)).toEqual([])
  expect(sends(gateway)).toHaveLength(1)
  const next = await send('play turn-plain')
  await expect.poll(async () => (await run(next.runId!)).outcome).toBe('completed')
  expect(await needsYou()).toEqual([])
})

test('[OC74] a prompt that reached the Gateway before the server died is not sent again, and no person is asked', async () => {
  const opened = await openServer()
  const { gateway, message, needsYou } = opened
  const { connection } = await openConnection(gateway)
  await connection.call('sessions.patch', { key: KEY, label: 'Main' })
  const id = await dieWhileSending(opened, ({ message: content, idempotencyKey }) => {
    gateway.sessions.byKey.get(KEY)!.rows.push({ role: 'user', content, idempotencyKey: `${idempotencyKey}:user` })
  })
  expect(await message(id)).toMatchObject({ state: 'delivered' })
  expect(sends(gateway)).toHaveLength(1)
  expect(await needsYou()).toEqual([])
})

test('[OC74] a prompt that did not reach the Gateway before the server died is sent again, once', async () => {
  const opened = await openServer()
  const { gateway, message, needsYou } = opened
  const id = await dieWhileSending(opened, () => {})
  await expect.poll(async () => (await message(id))?.state).toBe('delivered')
  const keys = sends(gateway).map((one) => one.params.idempotencyKey)
  expect(keys).toEqual([keys[0], keys[0]])
  expect(await needsYou()).toEqual([])
})

test('[OC17] an answer given during a cut is sent after a kill -9 of the server, and nothing else is', async () => {
  const { gateway, line, client, needsYou, kill, startAgain } = await openServer()
  const allowed = gateway.approvals.ask({ command: 'echo allowed' })
  const waits = gateway.approvals.ask({ command: 'echo waits' })
  await expect.poll(async () => (await needsYou()).length).toBe(2)
  line.cut()
  const item = (await needsYou()).find(({ action }) => action?.command === 'echo allowed')!
  await client().answerAttention({ params: { itemId: item.id }, body: { answer: 'allow-once' } })
  await kill()
  await startAgain()
  expect((await needsYou()).map(({ subjectId }) => subjectId)).toEqual([`${OPENCLAW_ID}:${waits}`])
  line.mend()
  await expect.poll(() => gateway.approvals.pending.size).toBe(1)
  const resolved = gateway.sent.filter(({ method }) => method === 'exec.approval.resolve')
  expect(resolved.map((one) => one.params)).toEqual([{ id: allowed, decision: 'allow-once' }])
  expect((await needsYou()).map(({ subjectId }) => subjectId)).toEqual([`${OPENCLAW_ID}:${waits}`])
  await client().disconnectSource({ params })
  expect(await needsYou()).toEqual([])
})
