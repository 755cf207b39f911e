import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../store/open-store.ts'
import { createSqliteDatabase, type TestDatabase } from '../store/test-stores.ts'
import { createEventFeed, type EventFeed, type FeedLimits } from './event-feed.ts'
import { type EventLog, openEventLog } from './event-log.ts'

let database: TestDatabase
let store: Store
let log: EventLog
let server: Server
let feed: EventFeed

beforeEach(async () => {
  database = await createSqliteDatabase()
  store = await openStore(database.options)
  log = await openEventLog(store)
})
afterEach(async () => {
  feed.close()
  server.closeAllConnections()
  server.close()
  await log.close()
  await store.close()
  await database.dispose()
})

async function serve(limits: Partial<FeedLimits>): Promise<string> {
  feed = createEventFeed(log, limits)
  server = createServer((request, response) => {
    const after = new URL(request.url!, 'http://x').searchParams.get('after')
    feed
      .follow(response, after === null ? null : Number(after))
      .catch((error) => response.writeHead(503).end(error.code))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function append(count: number, size = 10): Promise<void> {
  const at = Date.now()
  await store.transaction(async (tx) => {
    for (let n = 0; n < count; n++)
      await tx.events.append({ type: 'source-status', body: { n, filler: 'x'.repeat(size) }, at })
  })
  log.wake()
}

test('[LV3] a reader gets feed-reset when its last event is no longer stored', async () => {
  const url = await serve({})
  await append(50)
  await store.events.prune(10)
  const frames = await readSome(`${url}?after=5`, 'feed-')
  expect(frames).toContain('event: feed-reset')
  expect(await readSome(`${url}?after=40`, 'id: 50')).toContain('event: feed-ready')
})

test('[LV12] the log deletes its oldest events automatically, and a reader that is slightly behind misses none', async () => {
  await log.close()
  log = await openEventLog(store, { keepLast: 100 })
  const url = await serve({})
  for (let n = 0; n < 50; n++) {
    await append(10)
    if (n % 5 === 0) expect(await readSome(`${url}?after=${n * 10}`, `id: ${n * 10 + 10}\n`)).toContain('feed-ready')
  }
  while (log.head < 500) await turn()
  await log.close()
  const kept = 500 - (await store.events.firstSeq()) + 1
  expect(kept).toBeGreaterThanOrEqual(100)
  expect(kept).toBeLessThanOrEqual(110)
})

test('[LV4] the stream of a reader that accepts no bytes ends with at most one page in memory, and the reader can resume', async () => {
  const url = await serve({ stallMs: 200 })
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await new Promise((resolve) => socket.once('connect', resolve))
  let mostHeld = 0
  server.on('request', (_, response) => {
    void (async () => {
      for (; !response.destroyed; await turn()) mostHeld = Math.max(mostHeld, response.writableLength)
    })()
  })
  socket.write('GET /?after=0 HTTP/1.1\r\nhost: x\r\n\r\n')
  while (feed.readerCount === 0) await turn()
  for (let n = 0; n < 20; n++) await append(100, 20_000)
  while (feed.readerCount > 0) await turn()
  const page = 100 * 20_200
  expect(mostHeld).toBeGreaterThan(0)
  expect(mostHeld).toBeLessThan(2 * page)
  socket.destroy()
  expect(await readSome(`${url}?after=1999`, 'id: 2000')).toContain('feed-ready')
})

test('[LV5] a reader beyond the limit is refused and the others stay connected', async () => {
  const url = await serve({ maxReaders: 2 })
  const open = [await fetch(url), await fetch(url)]
  const refused = await fetch(url)
  expect([refused.status, await refused.text()]).toEqual([503, 'reader_limit_reached'])
  expect(feed.readerCount).toBe(2)
  await open[0]!.body!.cancel()
  while (feed.readerCount > 1) await turn()
  expect((await fetch(url)).status).toBe(200)
})

test('[LV5] the limit applies to readers that connect at once, and readers that leave at once make room for others', async () => {
  const url = await serve({ maxReaders: 3 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url)))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3)
  await Promise.all(answers.map((answer) => answer.body!.cancel()))
  while (feed.readerCount > 0) await turn()
  const leaving = Array.from({ length: 50 }, () => fetch(url, { signal: AbortSignal.timeout(1) }).catch(() => null))
  // The body of a request that has timed out cannot be cancelled.
  for (const answer of await Promise.all(leaving)) await answer?.body?.cancel().catch(() => {})
  while (feed.readerCount > 0) await turn()
  expect((await fetch(url)).status).toBe(200)
})

test('[LV3] the stream of a reader that falls behind the stored events ends, and the reader gets feed-reset when it returns', async () => {
  await log.close()
  log = await openEventLog(store, { keepLast: 1000 })
  const url = await serve({ stallMs: 60_000 })
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /?after=0 HTTP/1.1\r\nhost: x\r\n\r\n'))
  let text = ''
  const ended = new Promise((resolve) => socket.on('close', resolve))
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
  while (!text.includes('feed-ready')) await turn()
  socket.pause()
  for (let n = 0; n < 40; n++) await append(100, 10_000)
  while (log.head < 4000) await turn()
  socket.resume()
  await ended
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])).slice(1)
  expect(ids).toEqual(ids.map((_, n) => n + 1))
  expect(await readSome(`${url}?after=${ids.at(-1) ?? 0}`, 'feed-')).toContain('feed-reset')
})

test('[LV6] a reader that hangs does not delay another', async () => {
  const url = await serve({ stallMs: 60_000 })
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /?after=0 HTTP/1.1\r\nhost: x\r\n\r\n'))
  socket.on('error', () => {})
  socket.pause()
  while (feed.readerCount === 0) await turn()
  for (let n = 0; n < 10; n++) await append(100, 20_000)
  expect(await readSome(`${url}?after=0`, 'id: 1000\n')).toContain('id: 999\n')
  expect(feed.readerCount).toBe(2)
  socket.destroy()
})

const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Reads until the text `until` has arrived. */
async function readSome(url: string, until: string): Promise<string> {
  const response = await fetch(url)
  const chunks: string[] = []
  let end = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    chunks.push(chunk)
    // Searching all of the text after each chunk would take seconds for a long feed.
    end = end.slice(-until.length) + chunk
    if (end.includes(until)) return chunks.join('')
  }
  throw new Error(`the feed ended without "${until}"`)
}
