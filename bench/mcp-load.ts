import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeHome, temporaryHome } from '../test/server-process.ts'
import { startBareServer } from './bare-server.ts'
import { startChild } from './child-process.ts'
import { createHttpLoad } from './http-load.ts'

const CLIENTS = 8
const CALLS = 1_000
/** Fewer than the number of requests that one grant allows in a burst. */
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

const PROTOCOL = '2026-07-28'

/** Eight clients that call one tool with runs' grants, and a bare Hono POST with the same bytes in both directions. */
export async function openMcpLoad(program: string, name: string, args: Readonly<Record<string, unknown>>) {
  const home = await temporaryHome()
  const ours = await startChild(program, home)
  const secrets = await ours.ask<string[]>(GRANTS)
  const load = createHttpLoad(CLIENTS)
  const call = callOf(name, args)
  let calls = 0
  const headers = () => {
    const secret = secrets[Math.floor(calls++ / CALLS_PER_GRANT)]
    if (secret === undefined) throw new Error('there are more calls than grants for them')
    return { ...headersOf(name), authorization: `Bearer ${secret}` }
  }
  const answer = await load.send('POST', ours.url, headers(), call)
  if (!answer.includes('"structuredContent"')) throw new Error(`not an answer: ${answer}`)
  const file = join(home, 'answer.json')
  await writeFile(file, answer)
  const bare = await startBareServer(BARE, file)
  const headersOfBare = { ...headersOf(name), authorization: `Bearer clawboo_grant_${'x'.repeat(43)}` }
  return {
    value: () => load.rate(ours.url, CALLS, headers, call),
    baseline: () => load.rate(bare.url, CALLS, headersOfBare, call),
    async close() {
      load.close()
      await bare.stop()
      await ours.stop()
      await removeHome(home)
    },
  }
}

function callOf(name: string, args: Readonly<Record<string, unknown>>): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } })
}

function headersOf(name: string) {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
}
