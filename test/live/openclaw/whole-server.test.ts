import { readdir } from 'node:fs/promises'
import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer } from '../../server-process.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { heldCommand } from './held-command.ts'
import { ALL_SCOPES, connectRaw } from './raw-client.ts'

const sourceId = 'openclaw'
let gateway: GatewayProcess
let server: ServerProcess
/** The model of the native Boos. */
let model: ScriptedModel
let leader: string
let specialist: string
const client = () => server.client

beforeAll(async () => {
  gateway = await startGateway()
  model = await startScriptedModel()
  server = await startServer({ env: { OPENCLAW_STATE_DIR: gateway.stateDir } })
  const body = { label: 'Scripted', baseUrl: `${model.url}/v1`, models: [{ id: 'boo' }] }
  await client().saveProvider({ params: { providerId: 'scripted' }, body })
  await client().setModelDefaults({ body: { defaultModel: 'scripted/boo' } })
  leader = (await client().createAgent({ body: { name: 'Ada' } })).id
})
afterAll(async () => {
  await server?.stop()
  if (server) await removeHome(server.home)
  await model?.close()
  await gateway?.stop()
})

const words = (...turns: ScriptTurn[]) => scriptPrompt(turns, 'Please play this.')
const exec = (command: string): ScriptTurn => [{ callTool: 'exec', with: { command } }]
const send = (text: string, mode?: 'steer' | 'followup' | 'interrupt') =>
  client().sendMessage({ params: { agentId: specialist }, body: { text, ...(mode && { mode }) } })
const run = async (runId: string) => (await client().getRun({ params: { runId } })).run
const untilEnded = async (runId: string) => {
  await expect.poll(async () => (await run(runId)).endedAt).not.toBeNull()
  return run(runId)
}
/** Waits until the model received a request with this text. */
const isAsked = (text: string) =>
  expect.poll(() => gateway.model.requests.some(({ body }) => JSON.stringify(body).includes(text))).toBe(true)
const open = async () => (await client().listAttention({ query: { state: 'open' } })).items

test('[OC84] the Gateway on this machine is found and connected without entering its token', async () => {
  const { upstreams } = await client().findUpstreams({ params: { sourceId } })
  expect(upstreams).toEqual([{ address: gateway.url, foundIn: gateway.configPath, isRunning: true, secretKnown: true }])
  const view = await client().connectSource({ params: { sourceId }, body: { address: gateway.url } })
  expect(view).toMatchObject({ state: 'connected', version: gateway.version, problem: null })
  expect(JSON.stringify(view)).not.toContain(gateway.token)
  await expect.poll(async () => (await client().listAgents({ query: { runtime: sourceId } })).agents.length).toBe(1)
  const made = await client().createAgent({ body: { name: 'Kit', sourceId } })
  specialist = made.id
  expect(made).toMatchObject({ displayName: 'Kit', runtime: sourceId, sourceAgentId: 'kit' })
})

test('[OC85] a message is answered with text, tokens and their price from the Gateway’s own rows', async () => {
  const { runId } = await send(words([{ say: 'Hello there.' }, { usage: { input: 1000, output: 500 } }]))
  expect(await untilEnded(runId!)).toMatchObject({
    ...{ outcome: 'completed', text: 'Hello there.', inputTokens: 1000, outputTokens: 500, costUsd: 0.002 },
    model: 'scripted/boo',
  })
})

test('[OC86] a Boo’s action needs an answer in Needs you: if allowed, the Boo continues; if denied, it is told', async () => {
  await client().updateAgent({
    params: { agentId: specialist },
    body: { execConfig: { permissionMode: 'guarded' } },
  })
  for (const answer of ['allow-once', 'deny'] as const) {
    const { runId } = await send(words(exec('echo allowed-it'), [{ echo: 'toolResults' }]))
    await expect.poll(async () => (await open()).length).toBe(1)
    const [item] = await open()
    expect(item).toMatchObject({ agentId: specialist, runId, action: { tool: 'exec', command: 'echo allowed-it' } })
    await client().answerAttention({ params: { itemId: item!.id }, body: { answer } })
    const { outcome, text } = await untilEnded(runId!)
    expect(outcome).toBe('completed')
    expect(text).toMatch(answer === 'deny' ? /denied/i : /allowed-it/)
    await expect.poll(async () => (await open()).length).toBe(0)
  }
  await client().updateAgent({ params: { agentId: specialist }, body: { execConfig: { permissionMode: 'full' } } })
})

test('[OC97] a read-only Boo runs no command, writes no file and requests no approval', async () => {
  const allow = (permissionMode: string) =>
    client().updateAgent({ params: { agentId: specialist }, body: { execConfig: { permissionMode } } })
  await allow('read-only')
  const write: ScriptTurn = [{ callTool: 'write', with: { path: 'unwritten.txt', content: 'a note' } }]
  const { runId } = await send(words(exec(`touch ${gateway.dir}/unwritten.txt`), write, [{ say: 'I tried.' }]))
  expect(await untilEnded(runId!)).toMatchObject({ outcome: 'completed', text: 'I tried.' })
  const files = await readdir(gateway.dir, { recursive: true })
  expect(files.filter((file) => file.endsWith('unwritten.txt'))).toEqual([])
  expect(await open()).toEqual([])
  await allow('full')
})

test('[OC87] steer, follow-up and interrupt reach the model, and each answer appears under its run', async () => {
  const held = heldCommand(gateway.dir)
  // The Gateway answers a late steer with one more model call.
  const first = await send(words(held.turn, [{ say: 'First.' }], [{ say: 'First.' }]))
  await isAsked('First.')
  const steered = await send('Mind the gap.', 'steer')
  expect(steered).toMatchObject({ verdict: 'steered', runId: first.runId })
  const later = await send(words([{ say: 'Second.' }]), 'followup')
  expect(later).toMatchObject({ verdict: 'queued' })
  await held.release()
  await isAsked('Mind the gap.')
  expect(await untilEnded(first.runId!)).toMatchObject({ outcome: 'completed', text: 'First.' })
  const runOf = async (id: string) =>
    (await client().listMessages({ params: { agentId: specialist }, query: {} })).messages.find((one) => one.id === id)
      ?.runId ?? null
  await expect.poll(() => runOf(later.message.id)).not.toBeNull()
  const second = (await runOf(later.message.id))!
  expect(second).not.toBe(first.runId)
  expect(await untilEnded(second)).toMatchObject({ outcome: 'completed', text: 'Second.' })

  const endless = await send(words([{ say: 'On and on.' }, { stall: true }]))
  await isAsked('On and on.')
  const urgent = await send(words([{ say: 'At once.' }]), 'interrupt')
  expect(await untilEnded(endless.runId!)).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_message' })
  await expect.poll(() => runOf(urgent.message.id)).not.toBeNull()
  expect(await untilEnded((await runOf(urgent.message.id))!)).toMatchObject({ outcome: 'completed', text: 'At once.' })
})

test('[OC98] a Boo’s question during a run is answered by the next message, which is delivered once', async () => {
  const options = [{ label: 'Staging' }, { label: 'Production' }]
  const question = { id: 'target', header: 'Target', question: 'Where to?', options }
  const ask = { callTool: 'ask_user', with: { questions: [question] } }
  const { runId } = await send(words([ask], [{ echo: 'toolResults' }]))
  const isAtIt = async () => {
    const { entries } = await client().getRun({ params: { runId: runId! } })
    return entries.some(
      (entry) => entry.type === 'tool-call' && entry.summary === 'asks you: Where to? (Staging / Production)',
    )
  }
  await expect.poll(isAtIt).toBe(true)
  // Wait for the question: after the frame of the call, but before the question is open, a message would steer the run.
  const { client: other } = await connectRaw({ ...gateway, scopes: [...ALL_SCOPES, 'operator.questions'] })
  await expect.poll(async () => JSON.stringify(await other.request('question.list'))).toContain('Where to?')
  await other.close()
  const { message } = await send('Staging')
  expect((await untilEnded(runId!)).text).toMatch(/"answered".*"Staging"/s)
  const { messages } = await client().listMessages({ params: { agentId: specialist }, query: {} })
  expect(messages.find(({ id }) => id === message.id)).toMatchObject({ state: 'delivered', runId })
})

test('[OC88] an exchange of a native leader and an OpenClaw specialist gives one post by each', async () => {
  const memberIds = [leader, specialist]
  const { team } = await client().createTeam({ body: { name: 'Launch', memberIds, leadAgentId: leader } })
  const ask = { callTool: 'team_chat_post', with: { body: 'Kit, check the prices.', to: ['Kit'] } }
  model.playNext([ask], [{ say: 'NO_REPLY' }], [{ say: 'NO_REPLY' }])
  gateway.model.playNext([{ say: 'The prices are right.' }], [{ say: 'NOTHING_TO_SAY' }])
  const asked = gateway.model.requests.length
  const { exchange } = await client().startExchange({
    body: { teamId: team.id, body: 'Plan the launch', to: [leader], wait: true },
  })
  expect(exchange).toMatchObject({ status: 'ended' })
  const { posts } = await client().readRoom({ query: { teamId: team.id } })
  expect(posts.filter(({ author }) => author.kind === 'agent').map(({ author, body }) => [author, body])).toEqual([
    [{ kind: 'agent', id: leader }, 'Kit, check the prices.'],
    [{ kind: 'agent', id: specialist }, 'The prices are right.'],
  ])
  // Boo Zero is the Gateway's own agent. Its turn comes last, and it passes.
  const { runs } = await client().listRuns({ query: { teamId: team.id } })
  const { booZeroId } = await client().listAgents({ query: {} })
  expect(runs.map(({ agentId, outcome }) => [agentId, outcome]).toReversed()).toEqual(
    [leader, specialist, booZeroId].map((id) => [id, 'completed']),
  )
  expect(gateway.model.requests.length - asked).toBe(2)
})

test('[OC89] when a Gateway is killed during a run, reads work, the run ends with a reason, and it reconnects', async () => {
  const { runId } = await send(words([{ say: 'Never the end.' }, { stall: true }]))
  await isAsked('Never the end.')
  await gateway.kill()
  expect(await untilEnded(runId!)).toMatchObject({ outcome: 'failed', reason: 'process_died' })
  const fleet = await client().listAgents({ query: {} })
  expect(fleet.stale).toBe(true)
  expect(fleet.sources.find((source) => source.sourceId === sourceId)).toMatchObject({
    ...{ stale: true, state: 'reconnecting', lastSyncAt: expect.any(Number) },
  })
  expect(fleet.agents.some(({ id }) => id === specialist)).toBe(true)
  const refused = client().updateAgent({ params: { agentId: specialist }, body: { name: 'Kitty' } })
  await expect(refused).rejects.toMatchObject({ code: 'gateway_disconnected', status: 503 })
  await gateway.restart()
  await expect.poll(async () => (await client().getConnection({ params: { sourceId } })).state).toBe('connected')
  const { runId: next } = await send(words([{ say: 'Here again.' }]))
  expect(await untilEnded(next!)).toMatchObject({ outcome: 'completed', text: 'Here again.' })
  const all = await client().listAgents({ query: { runtime: sourceId } })
  expect(all.agents.map(({ displayName }) => displayName).toSorted()).toEqual(['Kit', 'main'])
})

test('[OC96] when a server is killed during a run, the run is ended at the Gateway, nothing is sent twice, and the next message is answered', async () => {
  const held = await send(words([{ say: 'Unseen.' }, { stall: true }]))
  await isAsked('Unseen.')
  await server.kill()
  server = await startServer({ home: server.home, env: { OPENCLAW_STATE_DIR: gateway.stateDir } })
  expect(await run(held.runId!)).toMatchObject({ outcome: 'interrupted', reason: 'server_died' })
  const { client: other } = await connectRaw(gateway)
  const atWork = async () => {
    const { sessions } = await other.request('sessions.list', { agentId: 'kit' })
    return (sessions as { hasActiveRun?: boolean }[]).filter(({ hasActiveRun }) => hasActiveRun).length
  }
  await expect.poll(atWork).toBe(0)
  await other.close()
  // Late work of the Gateway that the previous test restarted does not belong to this run.
  expect(gateway.model.requests.filter(({ body }) => JSON.stringify(body).includes('Unseen.'))).toHaveLength(1)
  const next = await send(words([{ say: 'Seen.' }]))
  expect(await untilEnded(next.runId!)).toMatchObject({ outcome: 'completed', text: 'Seen.' })
  expect((await open()).filter(({ agentId }) => agentId === specialist)).toEqual([])
})
