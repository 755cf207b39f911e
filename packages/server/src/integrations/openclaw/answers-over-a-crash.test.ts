import { expect, onTestFinished, test } from 'vitest'
import { removeHome, startServer } from '../../../../../test/server-process.ts'
import { openGateway } from './gateway/test-connection.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import { openTestLine } from './test-line.ts'

const params = { sourceId: OPENCLAW_ID }

test('[OC17] an answer that was given while the line was cut is sent after a kill -9 of the server, and nothing else is', async () => {
  const gateway = await openGateway()
  const line = await openTestLine(gateway.port)
  onTestFinished(() => line.close())
  let server = await startServer()
  onTestFinished(async () => {
    await server.stop()
    await removeHome(server.home)
  })
  const open = async () => (await server.client.listAttention({ query: { state: 'open' } })).items
  const body = { address: `ws://127.0.0.1:${line.port}`, secret: gateway.token }
  await server.client.connectSource({ params, body })
  const allowed = gateway.approvals.ask({ command: 'echo allowed' })
  const waits = gateway.approvals.ask({ command: 'echo waits' })
  await expect.poll(async () => (await open()).length).toBe(2)
  line.cut()
  const item = (await open()).find(({ action }) => action?.command === 'echo allowed')!
  await server.client.answerAttention({ params: { itemId: item.id }, body: { answer: 'allow-once' } })
  await server.kill()
  server = await startServer({ home: server.home })
  expect((await open()).map(({ subjectId }) => subjectId)).toEqual([`${OPENCLAW_ID}:${waits}`])
  line.mend()
  await expect.poll(() => gateway.approvals.pending.size).toBe(1)
  const resolved = gateway.sent.filter(({ method }) => method === 'exec.approval.resolve')
  expect(resolved.map((one) => one.params)).toEqual([{ id: allowed, decision: 'allow-once' }])
  expect((await open()).map(({ subjectId }) => subjectId)).toEqual([`${OPENCLAW_ID}:${waits}`])
  await server.client.disconnectSource({ params })
  expect(await open()).toEqual([])
})
