import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { bareFanout, type MarkedReader, openReaders } from './marked-readers.ts'
import { BODY } from './room-file.ts'
import { startSeededServer } from './seeded-server.ts'

const READERS = 50
const POSTS = 100
const MARKER = 'event: team-chat-posted'

/** The time until a post reaches all of 50 readers, against a bare server that writes as many bytes to 50 sockets. */
export const roomFanout50: Benchmark = {
  name: 'room-fanout-50',
  unit: 'ms to 50 readers, 99th percentile',
  bound: { atMost: 3 },
  rounds: 15,
  async open() {
    const server = await startSeededServer(10)
    const load = createHttpLoad(1)
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ teamId: 'team-0', body: BODY })
    const ours = await openReaders(READERS, `${server.url}/api/events`, headers, MARKER)
    const post = () => load.send('POST', `${server.url}/api/team-chat/posts`, headers, body)
    const told = (await post()).length
    const bare = await startBareServer(bareFanout(MARKER), String(told))
    const theirs = await openReaders(READERS, `${bare.url}/`, {}, MARKER)
    const poke = () => load.send('POST', bare.url, { 'content-type': 'application/json' }, body)
    return {
      value: () => percentile99(ours, post),
      baseline: () => percentile99(theirs, poke),
      async close() {
        load.close()
        for (const reader of [...ours, ...theirs]) reader.response.destroy()
        await bare.stop()
        await server.remove()
      },
    }
  },
}

/** Measures from sending each post to its arrival at each reader. */
async function percentile99(readers: readonly MarkedReader[], send: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < POSTS; n++) {
    const start = performance.now()
    const arrived = readers.map(
      (reader) =>
        new Promise<void>((resolve) => {
          reader.onSeen = () => {
            times.push(performance.now() - start)
            resolve()
          }
        }),
    )
    await Promise.all([send(), ...arrived])
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}
