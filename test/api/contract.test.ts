import {
  errorBodySchema,
  LIVE_EVENTS,
  type LiveEventType,
  OPERATIONS,
  type Operation,
  type OperationId,
} from '@clawboo/api'
import { expect, test } from 'vitest'
import { oneServer } from '../one-server.ts'
import { startServer } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

const running = oneServer()

test('[AP8] responses match the operation’s own schema, strictly', async () => {
  const api = running().client
  const agent = await api.createAgent({
    body: { name: 'Ada', files: { 'SOUL.md': 'hi' }, personalityConfig: { role: 'x' } },
  })
  const team = await api.createTeam({ body: { name: 'Launch', memberIds: [agent.id] } })
  const params = { agentId: agent.id, fileName: 'SOUL.md' as const, teamId: team.team.id }
  const answers: Partial<Record<OperationId, unknown>> = {
    checkHealth: await api.checkHealth({}),
    getStatus: await api.getStatus({}),
    listAgents: await api.listAgents({}),
    createAgent: agent,
    createTeam: team,
    getAgent: await api.getAgent({ params }),
    updateAgent: await api.updateAgent({ params, body: { emoji: '👻' } }),
    listAgentFiles: await api.listAgentFiles({ params }),
    readAgentFile: await api.readAgentFile({ params }),
    writeAgentFile: await api.writeAgentFile({ params, body: { content: 'ho', baseRevision: 1 } }),
    listAgentFileHistory: await api.listAgentFileHistory({ params }),
    listWorkspace: await api.listWorkspace({ params }),
    readWorkspaceFile: await api.readWorkspaceFile({ params, query: { path: 'SOUL.md' } }),
    listAgentSessions: await api.listAgentSessions({ params }),
    listSources: await api.listSources({}),
    listRuntimes: await api.listRuntimes({}),
    listTeams: await api.listTeams({}),
    getTeam: await api.getTeam({ params }),
    listAudit: await api.listAudit({}),
    createSignInLink: await api.createSignInLink({}),
    listMessages: await api.listMessages({ params }),
    listRuns: await api.listRuns({}),
    listAttention: await api.listAttention({}),
    getLimits: await api.getLimits({}),
    setLimits: await api.setLimits({ body: { run: { usd: 2.5 } } }),
    listProviders: await api.listProviders({}),
    getMcpConfig: await api.getMcpConfig({}),
  }
  checkAnswers(answers)
})

test('[AP8] responses about a run match the operation’s own schema, strictly', async () => {
  const api = running().client
  const demo = await api.makeDemoTeam({})
  const params = { agentId: demo.agentIds[0]! }
  const reader = await followFeed(running())
  await reader.waitFor((frame) => frame.event === 'feed-ready')
  const sent = await api.sendMessage({ params, body: { text: 'Hello' } })
  await reader.waitFor((frame) => frame.event === 'run-ended')
  reader.close()
  const run = { runId: sent.runId! }
  const conversation = await api.readConversation({ params })
  expect(conversation.runs.map((detail) => detail.run.id)).toEqual([run.runId])
  checkAnswers({
    makeDemoTeam: demo,
    sendMessage: sent,
    readConversation: conversation,
    changeConversation: await api.changeConversation({ params, body: { verbose: 'on', model: null } }),
    inspectAgent: await api.inspectAgent({ params }),
    stopAgent: await api.stopAgent({ params, body: {} }),
    listMessages: await api.listMessages({ params }),
    listRuns: await api.listRuns({ query: params }),
    getRun: await api.getRun({ params: run }),
    stopRun: await api.stopRun({ params: run }),
    findLocalPrograms: await api.findLocalPrograms({}),
  })
})

test('[LV13] every event that the feed has sent fits the schema of its type, strictly', async () => {
  const api = running().client
  const { agentIds, teamId } = await api.makeDemoTeam({})
  const reader = await followFeed(running(), 0)
  const { exchange } = await api.startExchange({ body: { teamId, body: 'Hello', to: [agentIds[0]!] } })
  await api.createTask({ params: { teamId }, body: { title: 'Write' } })
  await reader.waitFor(
    ({ data }) => (data.exchange as { id?: string; status?: string } | undefined)?.status === 'ended',
  )
  reader.close()
  expect(exchange.teamId).toBe(teamId)
  const events = reader.frames.filter(({ event }) => !event.startsWith('feed-'))
  expect(new Set(events.map(({ event }) => event)).size).toBeGreaterThan(9)
  for (const { event, data } of events) {
    const { type, ...payload } = data
    const schema = LIVE_EVENTS[event as LiveEventType].payload.strict()
    expect({ type, result: schema.safeParse(payload) }).toMatchObject({
      type: event,
      result: { success: true, data: payload },
    })
  }
})

function checkAnswers(answers: Partial<Record<OperationId, unknown>>): void {
  for (const [id, answer] of Object.entries(answers)) {
    const schema = (OPERATIONS[id as OperationId] as Operation).response!
    expect({ id, result: schema.safeParse(answer) }).toMatchObject({ id, result: { success: true, data: answer } })
  }
}

test('[AP3] every error response has the same shape and a code from the one list', async () => {
  const requests: [string, RequestInit?][] = [
    ['/api/agents'],
    ['/api/nothing'],
    ['/api/agents/x'],
    ['/api/sign-in', { method: 'POST', body: '{}' }],
  ]
  for (const [path, init] of requests) {
    const answer = await fetch(running().url + path, init)
    expect(answer.ok).toBe(false)
    expect(errorBodySchema.safeParse(await answer.json())).toMatchObject({ success: true })
  }
})

test('[AP1] the document is served and describes this server', async () => {
  const document = await running().client.getOpenApi({})
  expect(document).toMatchObject({ openapi: '3.1.0', paths: { '/api/agents': { get: { operationId: 'listAgents' } } } })
})

test('[SE21] a second server on the same home folder does not start and names the first', async () => {
  await expect(startServer({ home: running().home })).rejects.toThrow(/already running/)
  expect((await running().client.checkHealth({})).ok).toBe(true)
})
