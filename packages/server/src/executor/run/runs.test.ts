import { MESSAGE_EVENT_CHARACTERS } from '@clawboo/api'
import type { RunEntry } from '@clawboo/core/executor'
import { beforeAll, describe, expect, it } from 'vitest'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { newRun } from '../../store/contract/runs-contract.ts'
import { testEngines } from '../../store/test-stores.ts'
import { listMessages, messageChanged } from '../conversations/messages.ts'
import { useRecords } from '../test-records.ts'
import { createRuns } from './runs.ts'
import { settleDeadRuns } from './settle-dead-runs.ts'

const entry = (runId: string, text: string): RunEntry => ({
  runId,
  sessionId: null,
  seq: 1,
  ts: 1,
  type: 'text-delta',
  message: 0,
  offset: 0,
  text,
})
const ended = { outcome: 'completed', reason: null, text: 'Done', endedAt: 50 } as const

describe.each(testEngines())('Runs, on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  const store = () => records()[0]!.store
  beforeAll(async () => {
    for (const id of ['ada', 'bob', 'eve', 'old']) await store().agents.insert(newAgent(id))
  })

  it('[RU2] a run is read with its entries, and an active run with its entries so far', async () => {
    await store().runs.insert(newRun('r1'))
    await store().runs.appendEntries('r1', [entry('r1', 'kept')])
    const live = [entry('r1', 'kept'), { ...entry('r1', 'and going on'), seq: 2 }]
    const runs = createRuns(store(), (runId) => (runId === 'r1' ? live : null))
    expect(await runs.get('r1')).toMatchObject({ run: { id: 'r1', state: 'running' }, entries: live })
    await store().runs.end('r1', 'home-1', ended)
    expect(await runs.get('r1')).toMatchObject({ run: { state: 'ended' }, entries: [entry('r1', 'kept')] })
    await expect(runs.get('nothing')).rejects.toMatchObject({ code: 'run_not_found' })
  })

  it('[RU3] a page of runs shows whether more follow', async () => {
    for (let n = 0; n < 3; n++) await store().runs.insert(newRun(`p${n}`, { agentId: 'eve', startedAt: n }))
    const runs = createRuns(store())
    const first = await runs.list({ agentId: 'eve', limit: 2 })
    expect([first.runs.map(({ id }) => id), first.hasMore]).toEqual([['p2', 'p1'], true])
    const rest = await runs.list({ agentId: 'eve', limit: 2, before: 'p1' })
    expect([rest.runs.map(({ id }) => id), rest.hasMore]).toEqual([['p0'], false])
    for (let n = 0; n < 3; n++) await store().runs.end(`p${n}`, 'home-1', ended)
  })

  it('[RU1] a starting server ends the runs of dead servers, with their items and statuses', async () => {
    const { attention, agents, runs } = store()
    for (const id of ['ada', 'bob', 'old']) await agents.setStatus(id, 'running', 70)
    await runs.insert(newRun('mine'))
    await runs.insert(newRun('other', { agentId: 'bob', owner: { instance: 'home-2', leaseMs: 60_000 } }))
    const item = {
      agentId: 'ada',
      subjectId: null,
      title: 'x',
      detail: '',
      action: null,
      createdAt: 1,
      expiresAt: null,
    }
    await attention.insert({ ...item, id: 'asked', kind: 'approval', runId: 'mine', answers: ['deny'] })
    await attention.insert({ ...item, id: 'elsewhere', kind: 'approval', runId: 'other', answers: ['deny'] })
    const settled = await settleDeadRuns(records()[0]!.record, 'home-1', () => 90)
    expect(settled).toMatchObject([{ id: 'mine', state: 'ended', outcome: 'interrupted', reason: 'server_died' }])
    expect(await agents.get('ada')).toMatchObject({ status: 'idle', statusAt: 90 })
    expect(await agents.get('bob')).toMatchObject({ status: 'running', statusAt: 70 })
    expect(await agents.get('old')).toMatchObject({ status: 'unknown', statusAt: 70 })
    expect(await runs.get('other')).toMatchObject({ state: 'running' })
    expect(await attention.get('asked')).toMatchObject({ state: 'expired' })
    expect(await attention.get('elsewhere')).toMatchObject({ state: 'open' })
    expect(await records()[0]!.events('run-ended')).toMatchObject([{ run: settled[0] }])
    expect(await records()[0]!.events('agent-status')).toMatchObject([
      { agentId: 'ada', status: 'idle' },
      { agentId: 'old', status: 'unknown' },
    ])
    expect(await settleDeadRuns(records()[0]!.record, 'home-1')).toEqual([])
    expect(await records()[0]!.audit()).toHaveLength(1)
  })

  it('[RU10] messages are listed in order of arrival, without the fields of their delivery', async () => {
    const text = 'é'.repeat(MESSAGE_EVENT_CHARACTERS + 1)
    const place = { agentId: 'ada', sessionKey: 'main', mode: 'steer', model: null, sender: 'operator' } as const
    const stored = await store().messages.insert({ ...place, id: 'm1', text, owner: 'home-1', createdAt: 5 })
    await store().messages.insert({ ...place, id: 'm2', text: 'second', owner: 'home-1', createdAt: 5 })
    const [first, second] = await listMessages(store(), 'ada', { limit: 9 })
    expect([first?.text, second?.text]).toEqual([text, 'second'])
    expect(Object.keys(first!).sort()).toEqual(
      [
        ...['agentId', 'attempts', 'createdAt', 'id', 'mode', 'model', 'reason', 'runId'],
        ...['sender', 'sessionKey', 'settledAt', 'state', 'text'],
      ].sort(),
    )
    await expect(listMessages(store(), 'nobody', { limit: 9 })).rejects.toMatchObject({ code: 'agent_not_found' })
    expect(messageChanged(stored.message)).toEqual({
      type: 'message-changed',
      message: { ...first, text: `${'é'.repeat(MESSAGE_EVENT_CHARACTERS - 1)}…` },
    })
  })
})
