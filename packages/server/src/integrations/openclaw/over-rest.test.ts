import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer } from '../../../../../test/server-process.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import { startTestGateway, type TestGateway } from './stand-in/test-gateway.ts'

const params = { sourceId: OPENCLAW_ID }
let gateway: TestGateway
let server: ServerProcess
beforeAll(async () => {
  gateway = await startTestGateway({ agents: [{ id: 'kit' }] })
  server = await startServer()
})
afterAll(async () => {
  await server.stop()
  await removeHome(server.home)
  await gateway.close()
})

test('[RG65] the Gateway’s tool policy is read and changed over REST, and stored by the Gateway', async () => {
  const { client } = server
  await expect(client.getToolPolicy({ params })).rejects.toMatchObject({ code: 'gateway_disconnected', status: 503 })
  await client.connectSource({ params, body: { address: gateway.url, secret: gateway.token } })
  const before = await client.getToolPolicy({ params })
  const changed = await client.changeToolPolicy({ params, body: { deny: ['exec', 'nodes'] } })
  expect(changed).toEqual({ ...before, deny: [...before.deny, 'exec', 'nodes'] })
  expect(await client.changeToolPolicy({ params, body: { undeny: ['exec'] } })).toMatchObject({
    deny: [...before.deny, 'nodes'],
  })
  expect(await client.getToolPolicy({ params })).toMatchObject({ deny: [...before.deny, 'nodes'] })
  const { entries } = await client.listAudit({ query: {} })
  expect(entries).toContainEqual(expect.objectContaining({ action: 'source.tool-policy', subject: OPENCLAW_ID }))
})

test('[RG65] a source without a tool policy returns an error, and a tool on both lists is refused', async () => {
  const native = { sourceId: (await server.client.listSources({})).sources[0]!.sourceId }
  await expect(server.client.getToolPolicy({ params: native })).rejects.toMatchObject({
    code: 'connection_unsupported',
  })
  const both = server.client.changeToolPolicy({ params, body: { deny: ['exec'], undeny: ['exec'] } })
  await expect(both).rejects.toMatchObject({ code: 'body_invalid' })
})

test('[RG52] agents of a Gateway that a person disconnects stay readable and are marked as last seen', async () => {
  const { client } = server
  await expect.poll(async () => (await client.listAgents({ query: { runtime: OPENCLAW_ID } })).agents.length).toBe(2)
  const view = await client.disconnectSource({ params })
  expect(view).toMatchObject({ state: 'disconnected', address: null, problem: null })
  const fleet = await client.listAgents({ query: { runtime: OPENCLAW_ID } })
  expect([fleet.agents.length, fleet.stale]).toEqual([2, true])
})
