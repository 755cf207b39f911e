// Relays a Gateway's broadcasts to event-stream readers, as the baseline for the benchmark.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'

const [url, token] = process.argv.slice(2) as [string, string]
const readers = new Set<ServerResponse>()
const socket = new WebSocket(url)
const ready = Promise.withResolvers<void>()
socket.on('message', (data) => {
  const frame = JSON.parse(String(data)) as { type: string; event?: string; payload?: unknown }
  if (frame.event === 'connect.challenge') connect()
  else if (frame.type === 'res') ready.resolve()
  else if (frame.event === 'agent')
    for (const reader of readers) reader.write(`event: agent\ndata: ${JSON.stringify(frame.payload)}\n\n`)
})

function connect(): void {
  const params = {
    ...{ minProtocol: 4, maxProtocol: 4, role: 'operator', scopes: ['operator.read'], caps: ['tool-events'] },
    client: { id: 'gateway-client', version: '1.0.0', platform: 'linux', mode: 'backend' },
    auth: { token },
  }
  socket.send(JSON.stringify({ type: 'req', id: '1', method: 'connect', params }))
}

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  readers.add(response)
})
server.listen(0, '127.0.0.1', async () => {
  await ready.promise
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
})
