import { get, type IncomingMessage } from 'node:http'
import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { startSeededServer } from './seeded-server.ts'

const READERS = 100
const EVENTS = 200
const WRITERS = 8

/** Answers a POST by writing one frame to every open GET, and does nothing else. */
const BARE = `
  import { createServer } from 'node:http'
  const frame = Buffer.from('id: 1\\nevent: team-upserted\\ndata: ' + 'x'.repeat(Number(process.argv.at(-1))) + '\\n\\n')
  const readers = new Set()
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      return void readers.add(response)
    }
    request.resume().on('end', () => {
      for (const reader of readers) reader.write(frame)
      response.writeHead(200).end('{}')
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const FRAME_BYTES = 300
const MARKER = 'event: team'

/** Events per second that reach 100 readers, from a POST on, against a bare server that writes to 100 sockets. */
export const sseFanout100: Benchmark = {
  name: 'sse-fanout-100',
  unit: 'events/s to 100 readers',
  bound: { atLeast: 0.5 },
  async open() {
    const server = await startSeededServer(10)
    const bare = await startBareServer(BARE, String(FRAME_BYTES))
    const load = createHttpLoad(WRITERS)
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const ours = await openReaders(`${server.url}/api/events`, headers)
    const theirs = await openReaders(`${bare.url}/`, {})
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

interface Reader {
  readonly response: IncomingMessage
  seen: number
}

async function openReaders(url: string, headers: Record<string, string>): Promise<Reader[]> {
  return Promise.all(
    Array.from(
      { length: READERS },
      () =>
        new Promise<Reader>((resolve, reject) => {
          get(url, { headers, agent: false }, (response) => {
            const reader: Reader = { response, seen: 0 }
            let tail = Buffer.alloc(0)
            response.on('error', () => {})
            response.on('data', (chunk: Buffer) => {
              const bytes = Buffer.concat([tail, chunk])
              for (let at = bytes.indexOf(MARKER); at !== -1; at = bytes.indexOf(MARKER, at + 1)) reader.seen++
              // A marker may be cut between two chunks.
              tail = bytes.subarray(Math.max(0, bytes.length - MARKER.length + 1))
            })
            resolve(reader)
          }).on('error', reject)
        }),
    ),
  )
}

async function eventsPerSecond(readers: readonly Reader[], send: (n: number) => Promise<unknown>): Promise<number> {
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
