import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RuntimeEvent, RuntimeEventBody } from '@clawboo/core/executor'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRunStreams, type RunStreams } from './run-streams.ts'

const MAX_READERS = 256

describe('The stream of a run', () => {
  let streams: RunStreams
  let server: Server
  const refusals: unknown[] = []
  const opened: IncomingMessage[] = []
  beforeEach(async () => {
    streams = createRunStreams()
    server = createServer((_, response) => {
      try {
        streams.follow(response, 'ada')
      } catch (error) {
        refusals.push(error)
        response.writeHead(503).end()
      }
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    for (const response of opened.splice(0)) response.destroy()
    streams.close()
    server.closeAllConnections()
    server.close()
  })
  const follow = async () => {
    const { port } = server.address() as AddressInfo
    const sent = request({ host: '127.0.0.1', port, agent: false }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    opened.push(response)
    return response
  }
  /** Reads until this many frames have arrived. */
  const framesOf = async (response: IncomingMessage, count: number) => {
    let text = ''
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      text += chunk
      if (text.split('\n\n').length > count) break
    }
    return text
      .split('\n\n')
      .slice(0, count)
      .map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as Record<string, unknown>)
  }
  const numbered = () => {
    let seq = 0
    return (body: RuntimeEventBody): RuntimeEvent => ({ runId: 'r1', sessionId: null, ts: 1, seq: ++seq, ...body })
  }
  const words = (text: string): RuntimeEventBody => ({ type: 'text-delta', message: 0, offset: 0, text })

  it('[CV33] a late reader gets the run so far in one message, then each new event', async () => {
    const next = numbered()
    const run = streams.open('ada', 'r1')
    run.push(next({ type: 'status', state: 'started' }))
    for (const word of ['one ', 'two ', 'three ']) run.push(next(words(word)))
    const reader = await follow()
    const soFar = await framesOf(reader, 3)
    expect(soFar).toMatchObject([{ activeRunId: 'r1' }, { state: 'started' }, { seq: 2, text: 'one two three ' }])
    run.push(next(words('four')))
    expect(await framesOf(reader, 1)).toMatchObject([{ seq: 5, text: 'four' }])
    expect(streams.entriesOf('r1')).toMatchObject([{ seq: 1 }, { text: 'one two three four' }])
  })

  it('[CV34] no entry of an ended run stays in memory, and the same reader gets the next run', async () => {
    const reader = await follow()
    expect(await framesOf(reader, 1)).toEqual([{ activeRunId: null }])
    const run = streams.open('ada', 'r1')
    run.push(numbered()(words('hello')))
    run.end()
    expect(streams.entriesOf('r1')).toBeNull()
    streams.open('ada', 'r2').push({ ...numbered()(words('again')), runId: 'r2' })
    streams.open('bob', 'r3').push({ ...numbered()(words('elsewhere')), runId: 'r3' })
    expect(await framesOf(reader, 2)).toMatchObject([{ text: 'hello' }, { runId: 'r2', text: 'again' }])
  })

  it('[CV35] a reader that does not read is disconnected, and the others continue', async () => {
    const slow = await follow()
    slow.pause()
    const quick = await follow()
    let read = 0
    quick.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    const gone = once(slow.socket, 'close')
    const run = streams.open('ada', 'r1')
    const next = numbered()
    const large = 'x'.repeat(256 * 1024)
    for (let sent = 0; sent < 80; sent++) {
      run.push(next(words(large)))
      await new Promise(setImmediate)
    }
    slow.resume()
    await gone
    while (read < 80 * large.length) await new Promise(setImmediate)
    expect(quick.destroyed).toBe(false)
  })

  it('[CV36] a reader above the limit is refused until another leaves', async () => {
    const readers = await Promise.all(Array.from({ length: MAX_READERS }, follow))
    expect((await follow()).statusCode).toBe(503)
    expect(refusals).toMatchObject([{ code: 'reader_limit_reached' }])
    readers[0]!.destroy()
    let answer = await follow()
    while (answer.statusCode !== 200) answer = await follow()
    expect(answer.statusCode).toBe(200)
  })
})
