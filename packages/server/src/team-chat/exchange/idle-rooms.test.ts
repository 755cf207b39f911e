import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { makeRoomTeam, openRooms, speakingRuntime } from './test-exchanges.ts'

const DAY_MS = 24 * 3_600_000

describe('Rooms without messages', () => {
  const records = useRecords(createSqliteDatabase)

  it('[TC129] 200 agents make no model call in 24 hours, even if reports wake the leader', async () => {
    const teams = []
    for (let n = 0; n < 10; n++) teams.push(await makeRoomTeam(records()[0]!, 20))
    const runtime = speakingRuntime(() => 'I could not help it.')
    let clock = Date.UTC(2030, 0, 1)
    const due: { readonly everyMs: number; readonly work: () => void }[] = []
    const every = (everyMs: number, work: () => void) => {
      due.push({ everyMs, work })
      return () => {}
    }
    const server = await openRooms(records()[0]!, { runtime, every, now: () => clock })
    for (const [n, { teamId }] of teams.entries()) {
      await server.exchanges.configure(teamId, { wakesLeader: n % 2 === 0, turnCap: 50 })
      await server.posts.byPerson({ kind: 'operator' }, teamId, { body: 'Nobody has to answer this.' })
    }
    expect(due.length).toBeGreaterThan(0)
    let polls = 0
    for (const end = clock + DAY_MS; clock < end; clock += 1_000) {
      for (const { everyMs, work } of due) {
        if (clock % everyMs !== 0) continue
        polls += 1
        work()
      }
      if (polls % 20 === 0) await nextTick()
    }
    expect(polls).toBeGreaterThan(10_000)
    expect([runtime.turns.length, runtime.modelCalls]).toEqual([0, 0])
    for (const { teamId } of teams) expect(await server.exchanges.open(teamId)).toEqual([])
    expect((await records()[0]!.store.runs.list({ limit: 1 })).length).toBe(0)
  })
})
