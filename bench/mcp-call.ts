import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeHome, temporaryHome } from '../test/server-process.ts'
import { startBareServer } from './bare-server.ts'
import { startChild } from './child-process.ts'
import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'

const CLIENTS = 8
const CALLS = 1_000
/** Fewer than a grant may be used for at once. */
const CALLS_PER_GRANT = 200
const GRANTS = 60

const BARE = `
  import { readFileSync } from 'node:fs'
  import { serve } from '@hono/node-server'
  import { Hono } from 'hono'
  const answer = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'))
  const app = new Hono()
  app.post('/', async (context) => {
    await context.req.json()
    return context.json(answer)
  })
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(port))`

const NAME = 'task_add_7'
const PROTOCOL = '2026-07-28'
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: NAME,
    arguments: { title: 'Boil water', body: 'x'.repeat(80), priority: 'high', tags: ['tea', 'hot'], estimate: 3 },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': PROTOCOL,
  'mcp-method': 'tools/call',
  'mcp-name': NAME,
}

/** A call of one of twelve tools with a run's grant, against a bare Hono POST that takes and gives the same bytes. */
export const mcpCall: Benchmark = {
  name: 'mcp-call',
  unit: 'calls/s',
  bound: { atLeast: 0.3 },
  async open() {
    const home = await temporaryHome()
    const ours = await startChild('mcp-call-child.ts', home)
    const secrets = await ours.ask<string[]>(GRANTS)
    const load = createHttpLoad(CLIENTS)
    let calls = 0
    const headers = () => {
      const secret = secrets[Math.floor(calls++ / CALLS_PER_GRANT)]
      if (secret === undefined) throw new Error('there are more calls than grants for them')
      return { ...HEADERS, authorization: `Bearer ${secret}` }
    }
    const answer = await load.send('POST', ours.url, headers(), CALL)
    if (!answer.includes('"structuredContent"')) throw new Error(`not an answer: ${answer}`)
    const file = join(home, 'answer.json')
    await writeFile(file, answer)
    const bare = await startBareServer(BARE, file)
    return {
      value: () => load.rate(ours.url, CALLS, headers, CALL),
      baseline: () => load.rate(bare.url, CALLS, headersOfBare, CALL),
      async close() {
        load.close()
        await bare.stop()
        await ours.stop()
        await removeHome(home)
      },
    }
  },
}

const headersOfBare = () => ({ ...HEADERS, authorization: `Bearer clawboo_grant_${'x'.repeat(43)}` })
