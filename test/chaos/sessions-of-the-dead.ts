import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Db, sql } from '../../packages/server/src/store/sql.ts'

const LOOK_MS = 20
const MOST_LOOKS = 1_500

/**
 * Records the current database sessions. The returned function waits until all later ones have ended, because a
 * database server still executes the statements of a killed process. SQLite has no server, so it returns at once.
 */
export async function sessionsOfTheDead(db: Db, isServer: boolean): Promise<() => Promise<void>> {
  if (!isServer) return async () => {}
  const read = async () => {
    const rows = await db.all<{ pid: number }>(sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database()`)
    return rows.map(({ pid }) => pid)
  }
  // Includes this process's own sessions, because a pool keeps its connections.
  const known = new Set(await read())
  return async () => {
    for (let look = 0; look < MOST_LOOKS; look++) {
      if ((await read()).every((pid) => known.has(pid))) return
      await sleep(LOOK_MS)
    }
    expect.fail('a session of a process that was killed does not end')
  }
}
