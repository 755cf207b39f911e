import type { RunEntry } from '@clawboo/core/executor'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import type { NewRun } from '../repositories/runs/runs-repository.ts'
import { sql } from '../sql.ts'
import { newAgent } from './agents-contract.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export const newRun = (id: string, overrides: Partial<NewRun> = {}): NewRun => ({
  id,
  agentId: 'ada',
  teamId: null,
  runtime: 'runtime-a',
  sessionKey: 'main',
  model: null,
  prompt: `What of ${id}?`,
  owner: { instance: 'home-1', leaseMs: 60_000 },
  startedAt: 100,
  ...overrides,
})

export function describeRuns(createDatabase: CreateDatabase): void {
  describe('runs', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      await subject.store.db.run(sql`DELETE FROM agents`)
      await subject.store.db.run(sql`DELETE FROM teams`)
      await subject.store.agents.insert(newAgent('ada'))
    })
    describeReading(subject)
    describeListing(subject)
    describeOwning(subject)
    describeStarting(subject)
    describeEntries(subject)
  })
}

type Subject = ReturnType<typeof useStore>
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)
const cost = {
  model: 'demo/boo',
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  costUsd: 0.1,
}

function describeReading(subject: Subject): void {
  it('[ST110] a new run is running and reads back with its agent’s current name', async () => {
    const { agents, runs } = subject.store
    const inserted = await runs.insert(newRun('r1', { model: 'demo/boo' }))
    expect(inserted).toEqual({
      id: 'r1',
      agentId: 'ada',
      agentName: 'Name of ada',
      teamId: null,
      runtime: 'runtime-a',
      sessionKey: 'main',
      trigger: 'message',
      model: 'demo/boo',
      state: 'running',
      outcome: null,
      reason: null,
      detail: null,
      prompt: 'What of r1?',
      text: '',
      modelCalls: 0,
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: null,
      costComplete: true,
      contextTokens: null,
      contextWindowTokens: null,
      startedAt: 100,
      endedAt: null,
    })
    expect(await runs.get('r1')).toEqual(inserted)
    expect(await runs.get('nothing')).toBeNull()
    await agents.update('source-a', 'ada', { nameOverride: 'Ada', updatedAt: 2 })
    expect((await runs.get('r1'))?.agentName).toBe('Ada')
    await expect(runs.insert(newRun('r2', { agentId: 'nobody' }))).rejects.toMatchObject({ kind: 'foreign-key' })
  })
}

function describeListing(subject: Subject): void {
  it('[ST111] runs list newest first, page without overlap, and can be filtered', async () => {
    const { agents, teams, runs } = subject.store
    await teams.insert({ id: 'team', name: 'Team', createdAt: 1 })
    await agents.insert(newAgent('bob', { teamId: 'team' }))
    for (let n = 1; n <= 5; n++) await runs.insert(newRun(`r${n}`, { startedAt: n < 3 ? 1 : n }))
    await runs.insert(newRun('other', { agentId: 'bob', teamId: 'team', sessionKey: 'side', startedAt: 9 }))
    await runs.end('r4', 'home-1', { outcome: 'completed', reason: null, text: '', endedAt: 5 })
    const first = await runs.list({ agentId: 'ada', limit: 2 })
    expect(ids(first)).toEqual(['r5', 'r4'])
    expect(ids(await runs.list({ agentId: 'ada', limit: 2, before: 'r4' }))).toEqual(['r3', 'r2'])
    expect(ids(await runs.list({ agentId: 'ada', limit: 9, before: 'r2' }))).toEqual(['r1'])
    expect(ids(await runs.list({ limit: 9, before: 'nothing' }))).toEqual([])
    expect(ids(await runs.list({ limit: 9, state: 'ended' }))).toEqual(['r4'])
    expect(ids(await runs.list({ limit: 9, outcome: 'completed' }))).toEqual(['r4'])
    expect(ids(await runs.list({ limit: 9, teamId: 'team' }))).toEqual(['other'])
    expect(ids(await runs.list({ limit: 9, sessionKey: 'side', agentId: 'bob' }))).toEqual(['other'])
  })

  it('[ST122] removing an agent removes its runs, and removing a team keeps them', async () => {
    const { agents, teams, runs, db } = subject.store
    await teams.insert({ id: 'team', name: 'Team', createdAt: 1 })
    await runs.insert(newRun('r1', { teamId: 'team' }))
    await runs.appendEntries('r1', [entry('r1', 1)])
    await teams.remove('team')
    expect(await runs.get('r1')).toMatchObject({ teamId: null })
    await agents.remove('source-a', 'ada')
    expect(await runs.get('r1')).toBeNull()
    expect(await db.all(sql`SELECT run_id FROM run_entries`)).toEqual([])
  })
}

function describeOwning(subject: Subject): void {
  it('[ST112] model calls add up, and a call without a known price makes the cost incomplete', async () => {
    const { runs } = subject.store
    await runs.insert(newRun('r1'))
    expect(await runs.addCost('r1', 'home-1', { ...cost, costUsd: null })).toBe(true)
    expect(await runs.get('r1')).toMatchObject({ costUsd: null, costComplete: false, modelCalls: 1, model: 'demo/boo' })
    await runs.addCost('r1', 'home-1', { ...cost, contextTokens: 40, contextWindowTokens: 1000 })
    await runs.addCost('r1', 'home-1', { ...cost, costUsd: 0.2 })
    expect(await runs.get('r1')).toMatchObject({
      modelCalls: 3,
      inputTokens: 30,
      outputTokens: 15,
      cacheReadTokens: 9,
      cacheWriteTokens: 6,
      costUsd: 0.3,
      costComplete: false,
      contextTokens: 40,
      contextWindowTokens: 1000,
    })
  })

  it('[ST113] only the owner of a run counts its model calls and ends it, once', async () => {
    const { runs } = subject.store
    await runs.insert(newRun('r1'))
    const end = { outcome: 'failed', reason: 'model_failed', detail: 'no\0', text: 'last', endedAt: 300 } as const
    expect(await runs.addCost('r1', 'home-2', cost)).toBe(false)
    expect(await runs.end('r1', 'home-2', end)).toBeNull()
    expect(await runs.end('r1', 'home-1', end)).toMatchObject({
      state: 'ended',
      outcome: 'failed',
      reason: 'model_failed',
      detail: 'no\ufffd',
      text: 'last',
      modelCalls: 0,
      endedAt: 300,
    })
    expect(await runs.end('r1', 'home-1', end)).toBeNull()
    expect(await runs.addCost('r1', 'home-1', cost)).toBe(false)
  })
}

function describeStarting(subject: Subject): void {
  it('[ST114] a starting server ends its own earlier runs and runs with an expired lease, and no others', async () => {
    const { runs, db } = subject.store
    await runs.insert(newRun('mine'))
    await runs.insert(newRun('other', { owner: { instance: 'home-2', leaseMs: 60_000 } }))
    await runs.insert(newRun('late', { owner: { instance: 'home-3', leaseMs: 60_000 } }))
    await db.run(sql`UPDATE runs SET lease_until = now_ms() - 1 WHERE id IN ('late', 'other')`)
    expect(await runs.renewLeases({ instance: 'home-2', leaseMs: 60_000 })).toBe(1)
    const settled = await runs.settleDead('home-1', 500)
    expect(ids(settled).sort()).toEqual(['late', 'mine'])
    expect(settled[0]).toMatchObject({ state: 'ended', outcome: 'interrupted', reason: 'server_died', endedAt: 500 })
    expect(settled[0]?.agentName).toBe('Name of ada')
    expect(await runs.get('other')).toMatchObject({ state: 'running' })
    expect(await runs.settleDead('home-1', 600)).toEqual([])
    expect(await runs.renewLeases({ instance: 'home-1', leaseMs: 1 })).toBe(0)
  })

  it('[ST124] an agent with an active run on any server is marked neither idle nor unknown', async () => {
    const { agents, runs } = subject.store
    await agents.insert(newAgent('bob'))
    for (const id of ['ada', 'bob']) await agents.setStatus(id, 'running', 70)
    await runs.insert(newRun('r1', { owner: { instance: 'home-2', leaseMs: 60_000 } }))
    expect(await agents.markIdle(['ada', 'bob'], 80)).toEqual(['bob'])
    expect(await agents.get('bob')).toMatchObject({ status: 'idle', statusAt: 80 })
    expect(await agents.markRunningAsUnknown()).toEqual([])
    expect(await agents.markIdle([], 80)).toEqual([])
    expect(await agents.get('ada')).toMatchObject({ status: 'running' })
  })

  it('[ST116] a conversation continues from the last stored mark of its runs, until the marks are deleted', async () => {
    const { runs } = subject.store
    const end = { outcome: 'completed', reason: null, text: '', endedAt: 300 } as const
    for (const [n, resume] of ['first', 'second', null].entries()) {
      await runs.insert(newRun(`r${n}`, { startedAt: n }))
      await runs.end(`r${n}`, 'home-1', { ...end, resume })
    }
    expect(await runs.resumePoint('ada', 'main')).toBe('second')
    expect(await runs.resumePoint('ada', 'side')).toBeNull()
    await runs.forgetResumePoints('ada', 'main')
    expect(await runs.resumePoint('ada', 'main')).toBeNull()
  })
}

function describeEntries(subject: Subject): void {
  it('[ST115] the entries of a run read back complete and in order, and appending an entry again changes nothing', async () => {
    const { runs } = subject.store
    await runs.insert(newRun('r1'))
    await runs.insert(newRun('r2'))
    const many = Array.from({ length: 1500 }, (_, n) => entry('r1', n + 1, `text \0 \ud800 ${n}`))
    await runs.appendEntries('r1', many)
    await runs.appendEntries('r1', [{ ...many[0]!, ts: 9 }, entry('r1', 1501)])
    await runs.appendEntries('r1', [])
    await runs.appendEntries('r2', [entry('r2', 7)])
    const read = await runs.entries(['r2', 'r1', 'nothing'])
    expect(read.get('r1')).toEqual([...many, entry('r1', 1501)])
    expect(read.get('r2')).toEqual([entry('r2', 7)])
    expect(read.get('nothing')).toEqual([])
    expect(await runs.entries([])).toEqual(new Map())
  })

  it('[ST121] the spending of many writers at once adds up exactly, for each day and scope', async () => {
    const { store } = subject
    const other = await openStore(subject.options)
    const spent = { usd: 0.0000001, inputTokens: 3, outputTokens: 2, modelCalls: 1 }
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const scopes = [`team:t${n % 2}`, 'server', `agent:a${n % 4}`] as const
        return (n % 3 === 0 ? other : store).spend.add('2024-05-01', scopes, spent)
      }),
    )
    await other.close()
    expect(await store.spend.usd('2024-05-01', ['server', 'agent:a0', 'team:none'])).toEqual(
      new Map([
        ['server', 0.000004],
        ['agent:a0', 0.000001],
        ['team:none', 0],
      ]),
    )
    expect(await store.spend.usd('2024-05-02', ['server'])).toEqual(new Map([['server', 0]]))
    const day = await store.spend.list('2024-05-01')
    expect(day.map(({ scope }) => scope)).toEqual([
      ...['agent:a0', 'agent:a1', 'agent:a2', 'agent:a3'],
      ...['server', 'team:t0', 'team:t1'],
    ])
    expect(day[4]).toEqual({ scope: 'server', usd: 0.000004, inputTokens: 120, outputTokens: 80, modelCalls: 40 })
  })
}

function entry(runId: string, seq: number, text = 'said'): RunEntry {
  return { runId, sessionId: null, seq, ts: 5, type: 'text-delta', message: 0, offset: 0, text }
}
