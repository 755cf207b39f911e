import { get, type IncomingMessage } from 'node:http'
import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { BODY } from './room-file.ts'
import { startSeededServer } from './seeded-server.ts'

const READERS = 50
const POSTS = 100
const MARKER = 'event: team-chat-posted'

/** Answers a POST by writing one frame to every open GET, and does nothing else. */
const BARE = `
  import { createServer } from 'node:http'
  const frame = Buffer.from('id: 1\\n${MARKER}\\ndata: ' + 'x'.repeat(Number(process.argv.at(-1))) + '\\n\\n')
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

/** How long a post takes to all of 50 readers, against a bare server that writes as many bytes to 50 sockets. */
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
    const ours = await openReaders(`${server.url}/api/events`, headers)
    const post = () => load.send('POST', `${server.url}/api/team-chat/posts`, headers, body)
    const told = (await post()).length
    const bare = await startBareServer(BARE, String(told))
    const theirs = await openReaders(`${bare.url}/`, {})
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

interface Reader {
  readonly response: IncomingMessage
  seen: number
  onSeen(): void
}

function openReaders(url: string, headers: Record<string, string>): Promise<Reader[]> {
  const openOne = () =>
    new Promise<Reader>((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => {
        const reader: Reader = { response, seen: 0, onSeen: () => {} }
        let tail = Buffer.alloc(0)
        response.on('error', () => {})
        response.on('data', (chunk: Buffer) => {
          const bytes = Buffer.concat([tail, chunk])
          for (let at = bytes.indexOf(MARKER); at !== -1; at = bytes.indexOf(MARKER, at + 1)) {
            reader.seen++
            reader.onSeen()
          }
          // A marker may be cut between two chunks.
          tail = bytes.subarray(Math.max(0, bytes.length - MARKER.length + 1))
        })
        resolve(reader)
      }).on('error', reject)
    })
  return Promise.all(Array.from({ length: READERS }, openOne))
}

/** From the sending of each post to its arrival at each reader. */
async function percentile99(readers: readonly Reader[], send: () => Promise<unknown>): Promise<number> {
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
