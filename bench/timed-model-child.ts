// A model whose deltas contain the time at which they were sent, in nanoseconds of the machine's own clock. The first
// argument is the number of requests that it waits for before it answers. The others are the minimum number of deltas
// in an answer, the milliseconds between deltas, and the number of additional deltas in the longest answer.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const [together = 1, deltas = 1, everyMs = 10, more = 0] = process.argv.slice(2).map(Number)
/** The pause before the first delta, so that the caller has finished its work for the request. */
const BEFORE_FIRST_MS = 20

const HEAD = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"boo","choices":'
const delta = () => `data: ${HEAD}[{"index":0,"delta":{"content":"@${process.hrtime.bigint()}@ "}}]}\n\n`
const END = `data: ${HEAD}[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}\n\ndata: [DONE]\n\n`

const waiting: ServerResponse[] = []

const stream = (response: ServerResponse, count: number) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta())
  let left = count - 1
  const timer = setInterval(() => {
    if (left-- > 0) return response.write(delta())
    clearInterval(timer)
    response.end(END)
  }, everyMs)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const found = request.url?.endsWith('/models')
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(found ? '{"object":"list","data":[{"id":"boo","object":"model"}]}' : '{}')
    return
  }
  request.resume().on('end', () => {
    waiting.push(response)
    if (waiting.length < together) return
    // Spread evenly, because fifty real models would neither send nor end at the same instant.
    for (const [at, each] of waiting.splice(0).entries()) {
      const count = deltas + Math.floor((at * more) / together)
      setTimeout(() => stream(each, count), BEFORE_FIRST_MS + (at * everyMs) / together)
    }
  })
})
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('disconnect', () => process.exit())
