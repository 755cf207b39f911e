import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { startSeededServer } from './seeded-server.ts'

const REQUESTS = 600

const BARE = `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  const body = readFileSync(process.argv.at(-1))
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** A read of a fleet of 1,000, against a bare `node:http` server that sends the same bytes. */
export const fleetRead1k: Benchmark = {
  name: 'fleet-read-1k',
  unit: 'requests/s',
  bound: { atLeast: 0.6 },
  async open() {
    const server = await startSeededServer(1000)
    const load = createHttpLoad(4)
    const headers = { authorization: `Bearer ${server.token}` }
    const url = `${server.url}/api/agents`
    const file = join(server.home, 'body.json')
    await writeFile(file, await load.send('GET', url, headers))
    const bare = await startBareServer(BARE, file)
    return {
      value: () => load.rate(url, REQUESTS, headers),
      baseline: () => load.rate(bare.url, REQUESTS, headers),
      async close() {
        load.close()
        await bare.stop()
        await server.remove()
      },
    }
  },
}
