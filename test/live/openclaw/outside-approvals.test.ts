import { randomUUID } from 'node:crypto'
import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer } from '../../server-process.ts'
import type { JsonObject } from './gateway-config.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { connectRaw, type RawClient } from './raw-client.ts'

const sourceId = 'openclaw'
const sessionKey = 'agent:main:somebody-else'
let gateway: GatewayProcess
let server: ServerProcess
/** Another client of the same Gateway. */
let other: RawClient

beforeAll(async () => {
  gateway = await startGateway()
  server = await startServer({ env: { OPENCLAW_STATE_DIR: gateway.stateDir } })
  await server.client.connectSource({ params: { sourceId }, body: { address: gateway.url } })
  other = (await connectRaw({ url: gateway.url, token: gateway.token })).client
  await other.request('sessions.create', { key: sessionKey, agentId: 'main' })
  await other.request('sessions.patch', { key: sessionKey, permissionMode: 'guarded' })
})
afterAll(async () => {
  await other?.close()
  await server?.stop()
  if (server) await removeHome(server.home)
  await gateway?.stop()
})

const agents = async () => (await server.client.listAgents({ query: { runtime: sourceId } })).agents
const items = async (state: 'open' | 'settled') => (await server.client.listAttention({ query: { state } })).items
const answered = (answer: 'allow-once' | 'deny', itemId: string) =>
  server.client.answerAttention({ params: { itemId }, body: { answer } })

/** Starts a run that needs approval, and resolves to its id when Needs you shows the request. */
async function asks(command: string) {
  const turns: ScriptTurn[] = [[{ callTool: 'exec', with: { command } }], [{ echo: 'toolResults' }]]
  const runId = `somebody-${randomUUID().slice(0, 8)}`
  const message = scriptPrompt(turns, 'Please play this.')
  await other.request('chat.send', { sessionKey, message, idempotencyKey: runId })
  await expect.poll(async () => (await items('open')).length).toBe(1)
  const [item] = await items('open')
  expect(item).toMatchObject({ agentId: (await agents())[0]!.id, runId: null, action: { tool: 'exec', command } })
  expect(item!.detail).toMatch(/^Asked outside Clawboo/)
  return { runId, item: item! }
}

async function lastWords(runId: string): Promise<string> {
  const { payload } = await other.until(({ event, payload }) => {
    const { runId: id, state } = (payload ?? {}) as JsonObject
    return event === 'chat' && id === runId && ['final', 'error', 'aborted'].includes(String(state))
  })
  return JSON.stringify(payload)
}

test('[OC95] an action in another client’s run is allowed or denied in Needs you', async () => {
  await expect.poll(async () => (await agents()).length).toBe(1)
  for (const answer of ['allow-once', 'deny'] as const) {
    const { runId, item } = await asks(`echo ${answer}-it`)
    await answered(answer, item.id)
    expect(await lastWords(runId)).toMatch(answer === 'deny' ? /denied/i : /allow-once-it/)
    await expect.poll(async () => (await items('open')).length).toBe(0)
    expect((await items('settled'))[0]).toMatchObject({ id: item.id, state: 'answered', answer })
  }
  expect(await other.request('exec.approval.list')).toEqual([])
})

test('[OC95] approvals settled at the Gateway are withdrawn, and open ones survive a kill -9 of the server', async () => {
  const { runId, item } = await asks('echo held-it')
  await server.kill()
  server = await startServer({ home: server.home, env: { OPENCLAW_STATE_DIR: gateway.stateDir } })
  await expect.poll(async () => (await items('open')).map(({ id }) => id)).toEqual([item.id])
  await other.request('exec.approval.resolve', { id: item.subjectId!.split(':')[1]!, decision: 'deny' })
  expect(await lastWords(runId)).toMatch(/denied/i)
  await expect.poll(async () => (await items('open')).length).toBe(0)
  expect((await items('settled'))[0]).toMatchObject({ id: item.id, state: 'expired', answer: null })
})
