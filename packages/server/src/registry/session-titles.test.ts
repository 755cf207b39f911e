import { expect, onTestFinished, test } from 'vitest'
import { openTestHost } from '../integrations/test-host.ts'
import { newRun } from '../store/contract/runs-contract.ts'

test('[RG68] gives sessions names that people recognise, even after their room or task was deleted', async () => {
  const { host, store, dispose } = await openTestHost('source-a')
  onTestFinished(dispose)
  const ours = { teamId: null, avatarSeed: 'x', personalityConfig: null, execConfig: null }
  const named = {
    name: 'Ada',
    emoji: null,
    participantKind: 'agent',
    runtime: 'runtime-a',
    sessionKey: 'ada:own',
  } as const
  await host.records.insert({ ...ours, ...named, id: 'ada', sourceAgentId: 'ada' })
  await store.teams.insert({ id: 'night', name: 'Night shift', createdAt: 1 })
  const keys = ['plans', 'room:team:night', 'room:team:gone', 'task:gone', 'room:odd']
  for (const [at, key] of ['ada:own', ...keys.map((rest) => `agent:ada:${rest}`), 'agent:bob:main'].entries())
    await store.runs.insert(newRun(`r${at}`, { agentId: 'ada', sessionKey: key, startedAt: 100 - at }))
  const sessions = await host.records.listSessions('ada')
  expect(sessions.map(({ title }) => title)).toEqual([
    ...['Conversation', 'plans', 'Room of Night shift', 'Deleted room', 'Deleted task'],
    ...['Deleted room', 'agent:bob:main'],
  ])
  expect(sessions[0]).toEqual({
    id: 'ada:own',
    sourceSessionId: 'ada:own',
    agentId: 'ada',
    title: 'Conversation',
    preview: null,
    status: 'active',
    createdAt: 100,
    updatedAt: 100,
  })
})
