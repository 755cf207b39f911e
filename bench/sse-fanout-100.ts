import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { bareFanout, type MarkedReader, openReaders } from './marked-readers.ts'
import { startSeededServer } from './seeded-server.ts'

const READERS = 100
const EVENTS = 200
const WRITERS = 8

const FRAME_BYTES = 300
const MARKER = 'event: team'

/** Events per second that reach 100 readers, counted from a POST, against a bare server that writes to 100 sockets. */
export const sseFanout100: Benchmark = {
  name: 'sse-fanout-100',
  unit: 'events/s to 100 readers',
  bound: { atLeast: 0.5 },
  async open() {
    const server = await startSeededServer(10)
    const bare = await startBareServer(bareFanout('event: team-upserted'), String(FRAME_BYTES))
    const load = createHttpLoad(WRITERS)
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const ours = await openReaders(READERS, `${server.url}/api/events`, headers, MARKER)
    const theirs = await openReaders(READERS, `${bare.url}/`, {}, MARKER)
    const change = (n: number) =>
      load.send(
        'PATCH',
        `${server.url}/api/teams/team-${n % 20}`,
        headers,
        JSON.stringify({ description: `change ${n}` }),
      )
    const poke = () => load.send('POST', bare.url, {}, '{}')
    return {
      value: () => eventsPerSecond(ours, change),
      baseline: () => eventsPerSecond(theirs, poke),
      async close() {
        load.close()
        for (const reader of [...ours, ...theirs]) reader.response.destroy()
        await bare.stop()
        await server.remove()
      },
    }
  },
}

async function eventsPerSecond(
  readers: readonly MarkedReader[],
  send: (n: number) => Promise<unknown>,
): Promise<number> {
  for (const reader of readers) reader.seen = 0
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (next < EVENTS) await send(next++)
    }),
  )
  while (readers.some((reader) => reader.seen < EVENTS)) await new Promise((resolve) => setImmediate(resolve))
  return EVENTS / ((performance.now() - start) / 1000)
}
