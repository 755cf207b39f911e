import { DEFAULT_DAILY_BUDGETS, DEFAULT_RUN_LIMITS } from '@clawboo/core/executor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actAs } from '../../access/actor.ts'
import { testEngines } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { createLimits, type Limits } from './limits.ts'

const FIRST_DAY = Date.parse('2024-05-01T23:59:59Z')

describe.each(testEngines())('limits on $engine', ({ engine, createDatabase }) => {
  const records = useRecords(createDatabase, engine === 'postgres' ? 2 : 1)
  let clock = FIRST_DAY
  const servers: Limits[] = []
  beforeAll(() => {
    for (const { store, record } of records()) servers.push(createLimits(store, record, () => clock))
  })
  afterAll(() => {
    for (const limits of servers) limits.close()
  })
  const here = () => servers[0]!

  it('[RU30] limits and budgets have defaults', async () => {
    expect(await here().read()).toEqual({ run: DEFAULT_RUN_LIMITS, daily: DEFAULT_DAILY_BUDGETS })
  })

  it('[RU30] a change takes effect at once on every server, keeps other values, and has an event and an audit entry', async () => {
    for (const limits of servers) await limits.read()
    const patch = { run: { usd: 1.5, tokens: undefined }, daily: { serverUsd: 7 } }
    const written = await actAs({ name: 'operator' }, () => here().write(patch))
    expect(written).toEqual({
      run: { ...DEFAULT_RUN_LIMITS, usd: 1.5 },
      daily: { ...DEFAULT_DAILY_BUDGETS, serverUsd: 7 },
    })
    for (const limits of servers) await expect.poll(() => limits.read()).toEqual(written)
    expect(await records()[0]!.events('limits-changed')).toHaveLength(1)
    expect(await records()[0]!.audit()).toMatchObject([
      { actor: 'operator', action: 'limits.set', detail: { run: { usd: 1.5 }, daily: { serverUsd: 7 } } },
    ])
  })

  it('[RU30] setting the current values changes nothing and has no event', async () => {
    const before = await here().read()
    expect(await here().write({ run: { usd: before.run.usd } })).toEqual(before)
    expect(await records()[0]!.audit()).toHaveLength(1)
  })

  it('[RU31] a missing stored limit gets its default, and an unknown one is ignored', async () => {
    await records()[0]!.store.settings.set('limits', { run: { modelCalls: 3, of: 'another version' } })
    const limits = createLimits(records()[0]!.store, records()[0]!.record)
    expect(await limits.read()).toEqual({
      run: { ...DEFAULT_RUN_LIMITS, modelCalls: 3 },
      daily: DEFAULT_DAILY_BUDGETS,
    })
    limits.close()
  })

  it('[RU32] spending counts for the agent, its team and the server, until the end of the UTC day', async () => {
    const call = { usd: 0.25, inputTokens: 10, outputTokens: 5 }
    for (const limits of servers) await limits.addSpend('ada', 'team', call)
    await here().addSpend('bob', null, call)
    const sum = servers.length * 0.25
    expect(await here().spentToday('ada', 'team')).toEqual({ agentUsd: sum, teamUsd: sum, serverUsd: sum + 0.25 })
    expect(await here().spentToday('bob', null)).toEqual({ agentUsd: 0.25, teamUsd: null, serverUsd: sum + 0.25 })
    const team = { usd: sum, inputTokens: 10 * servers.length, outputTokens: 5 * servers.length }
    expect(await here().overview()).toMatchObject({
      day: '2024-05-01',
      spentToday: {
        serverUsd: sum + 0.25,
        byAgent: [
          { agentId: 'ada', ...team, modelCalls: servers.length },
          { agentId: 'bob', ...call, modelCalls: 1 },
        ],
        byTeam: [{ teamId: 'team', ...team, modelCalls: servers.length }],
      },
    })
    clock += 1000
    expect(await here().spentToday('ada', 'team')).toEqual({ agentUsd: 0, teamUsd: 0, serverUsd: 0 })
    expect((await here().overview()).day).toBe('2024-05-02')
  })
})
