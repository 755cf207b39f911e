import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { openEventLog } from '../packages/server/src/live/event-log.ts'
import { createRecordChange } from '../packages/server/src/registry/record-change.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { createRoomPosts } from '../packages/server/src/team-chat/posts/room-posts.ts'
import type { Benchmark } from './harness.ts'
import { BODY, makeRoomFile, TEAM } from './room-file.ts'

const POSTS = 1_000
const AGENTS = 8
const BY = { teamId: TEAM, agentId: 'agent-1', runId: 'run-1', taskId: null, credential: 'attached' } as const

/** Eight agents post at once, with number, event and wake-up, against bare inserts of as many rows into the file. */
export const roomPost: Benchmark = {
  name: 'room-post',
  unit: 'posts/s',
  bound: { atLeast: 0.5 },
  rounds: 15,
  async open() {
    const place = await makeRoomFile(1)
    const store = await openStore({ sqliteFile: place.file })
    const log = await openEventLog(store)
    const rooms = createRoomPosts({ store, record: createRecordChange(store, log) })
    await store.teams.insert({ id: 'bare', name: 'Bare', createdAt: 1 })
    await store.rooms.ensure({ id: 'team:bare', teamId: 'bare', at: 1 })
    const bare = openBare(place.file)
    return {
      async value() {
        const start = performance.now()
        const post = async () => {
          for (let n = 0; n < POSTS / AGENTS; n++) await rooms.byRun(BY, { body: BODY })
        }
        await Promise.all(Array.from({ length: AGENTS }, post))
        return POSTS / ((performance.now() - start) / 1000)
      },
      async baseline() {
        const start = performance.now()
        for (let n = 0; n < POSTS; n++) bare.insert(BODY)
        return POSTS / ((performance.now() - start) / 1000)
      },
      async close() {
        bare.close()
        await log.close()
        await store.close()
        await place.remove()
      },
    }
  },
}

/** Opens the file as the product does. */
function openBare(file: string) {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('PRAGMA synchronous = NORMAL')
  const statement = database.prepare(`INSERT INTO team_chat (room_id, seq, id, team_id, author_kind, author_id, kind,
      body, addressed, chain_id, hops, run_id, task_id, credential, turn_key, created_at)
    VALUES ('team:bare', ?, ?, 'bare', 'agent', 'agent-1', 'peer', ?, '[]', ?, 0, 'run-1', NULL, 'attached', NULL, ?)`)
  let seq = 0
  return {
    insert(body: string): void {
      const id = randomUUID()
      statement.run(++seq, id, body, id, Date.now())
    },
    close: () => database.close(),
  }
}
