import { startBareServer } from './bare-server.ts'
import { startChild } from './child-process.ts'
import { readDeltas } from './delta-reader.ts'
import { type Benchmark, median } from './harness.ts'
import { startModelledServer } from './modelled-server.ts'

const TURNS = 12

/** Calls the model for each connection and relays its bytes. */
const RELAY = `
  import { createServer, request } from 'node:http'
  const server = createServer((_, response) => {
    request(process.argv.at(-1), { method: 'POST' }, (answer) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.pipe(response)
    }).end('{"model":"boo","stream":true,"messages":[{"role":"user","content":"Hello"}]}')
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** The latency from the model's first byte to a reader of the agent's stream, against a bare relay. */
export const nativeFirstDelta: Benchmark = {
  name: 'native-first-delta',
  unit: 'ms to the first delta',
  bound: { atMost: 3 },
  async open() {
    const model = await startChild('timed-model-child.ts', '1', '1', '10')
    const server = await startModelledServer(model.url, 1)
    const relay = await startBareServer(RELAY, `${model.url}/v1/chat/completions`)
    const [agentId] = server.agentIds as [string]
    const reader = await readDeltas(`${server.url}/api/agents/${agentId}/stream`, server.headers)
    return {
      async value() {
        for (let n = 0; n < TURNS; n++) {
          const done = reader.until('"type":"done"')
          await server.say(agentId, 'Hello')
          await done
        }
        return median(reader.lags.splice(0))
      },
      async baseline() {
        const lags: number[] = []
        for (let n = 0; n < TURNS; n++) {
          const relayed = await readDeltas(relay.url)
          await relayed.ended
          lags.push(...relayed.lags)
        }
        return median(lags)
      },
      async close() {
        reader.close()
        await relay.stop()
        await server.remove()
        await model.stop()
      },
    }
  },
}
