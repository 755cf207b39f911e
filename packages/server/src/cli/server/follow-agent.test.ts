import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { followAgent } from './follow-agent.ts'

test('[CL58] loses no event of an open stream, however late it is read', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: stream-ready\ndata: {}\n\n')
  }).listen(0, '127.0.0.1')
  const answering = once(server, 'request') as Promise<[unknown, ServerResponse]>
  await once(server, 'listening')
  const leave = new AbortController()
  const { port } = server.address() as AddressInfo
  try {
    const events = await followAgent({ url: `http://127.0.0.1:${port}`, token: 'none' }, 'ada', leave.signal)
    for (let n = 0; n < 5; n++) {
      collect()
      await pause(10)
    }
    const [, response] = await answering
    response.write('event: run-event\ndata: {"runId":"run-1"}\n\n')
    const first = await events[Symbol.asyncIterator]().next()
    expect(first).toMatchObject({ done: false, value: { runId: 'run-1' } })
  } finally {
    leave.abort()
    server.closeAllConnections()
    server.close()
  }
})
