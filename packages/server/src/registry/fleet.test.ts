import { type AgentRecord, AgentRegistry } from '@clawboo/core/registry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newAgent } from '../store/contract/agents-contract.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { sql } from '../store/sql.ts'
import { type TestDatabase, testEngines } from '../store/test-stores.ts'
import { createFleet, type FleetFilter } from './fleet.ts'

/** More than one page. */
const COUNT = 1_203

describe.each(testEngines())('A large fleet on $engine', ({ createDatabase }) => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await createDatabase()
    store = await openStore(database.options)
    await store.transaction(async ({ agents, teams }) => {
      await teams.insert({ id: 'team', name: 'Team', createdAt: 1 })
      for (let n = 0; n < COUNT; n++) {
        const one = { teamId: n % 3 === 0 ? null : 'team', archivedAt: n % 7 === 0 ? 5 : null, name: `"Boo" ${n}` }
        await agents.insert(newAgent(`boo-${n}`, { ...one, createdAt: n >> 1 }))
      }
    })
  })
  afterAll(async () => {
    await store.close()
    await database.dispose()
  })
  const read = async (filter: FleetFilter) =>
    JSON.parse(String((await createFleet(store, new AgentRegistry(), factsOf).read(filter)).body))

  it('[RG35] is read completely and in order, with its leader, under every filter', async () => {
    const everyone = await store.agents.listAll({ includeArchived: true })
    const live = everyone.filter(({ archivedAt }) => archivedAt === null)
    const rest = { defaultId: null, mainKey: null, booZeroId: live.find(({ teamId }) => teamId === null)!.id }
    const expected = (agents: readonly AgentRecord[]) => ({ agents, ...rest, stale: false, sources: [] })
    expect(await read({})).toEqual(expected(live))
    expect(await read({ includeArchived: true })).toEqual(expected(everyone))
    expect(await read({ team: 'none' })).toEqual(expected(live.filter(({ teamId }) => teamId === null)))
    expect(await read({ text: 'boo" 1202' })).toEqual(expected(live.filter(({ id }) => id === 'boo-1202')))
    expect(await read({ runtime: 'nobody' })).toEqual(expected([]))
  })

  it('[RG35] is read as one consistent snapshot while every agent is renamed', async () => {
    const rename = (round: number) => store.db.run(sql`UPDATE agents SET name = ${`Round ${round}`}`)
    let renamed = await rename(0)
    let isReading = true
    const renaming = (async () => {
      for (let round = 1; isReading; round++) renamed += await rename(round)
    })()
    try {
      for (let n = 0; n < 12; n++) {
        const names = (await read({})).agents.map(({ displayName }: AgentRecord) => displayName)
        expect(new Set(names).size).toBe(1)
      }
    } finally {
      isReading = false
      await renaming
    }
    expect(renamed).toBeGreaterThan(COUNT)
  })
})

function factsOf(sourceId: string) {
  return { label: sourceId, connectable: false, hasToolPolicy: false }
}
