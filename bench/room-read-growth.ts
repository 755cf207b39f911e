import { openEventLog } from '../packages/server/src/live/event-log.ts'
import { createRecordChange } from '../packages/server/src/registry/record-change.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { createRoomPosts } from '../packages/server/src/team-chat/posts/room-posts.ts'
import type { Benchmark } from './harness.ts'
import { makeRoomFile, ROOM } from './room-file.ts'

const FEW = 100
const MANY = 1_000_000
const LIMIT = 50
const READS = 400

/** A read of 50 posts after a cursor, anywhere in a room of a million, against the same read in a room of a hundred. */
export const roomReadGrowth: Benchmark = {
  name: 'room-read-growth',
  unit: 'µs per read',
  bound: { atMost: 1.2 },
  rounds: 15,
  async open() {
    const [few, many] = [await openRoom(FEW), await openRoom(MANY)]
    return {
      value: many.read,
      baseline: few.read,
      async close() {
        await few.close()
        await many.close()
      },
    }
  },
}

async function openRoom(posts: number) {
  const place = await makeRoomFile(posts)
  const store = await openStore({ sqliteFile: place.file })
  const log = await openEventLog(store)
  const rooms = createRoomPosts({ store, record: createRecordChange(store, log) })
  let round = 0
  return {
    async read(): Promise<number> {
      // Positions are spread over the whole room and differ in every round.
      const step = 7919 * ++round
      const start = performance.now()
      for (let n = 0; n < READS; n++) {
        const seq = (n * step) % (posts - LIMIT)
        const page = await rooms.after(ROOM, { seq, limit: LIMIT, exceptAuthor: 'agent-1' })
        if (page.next !== seq + LIMIT) throw new Error('a read did not return all posts')
      }
      return ((performance.now() - start) * 1000) / READS
    },
    async close() {
      await log.close()
      await store.close()
      await place.remove()
    },
  }
}
