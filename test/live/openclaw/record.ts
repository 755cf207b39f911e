// Plays scenarios on a real Gateway and records every frame: node test/live/openclaw/record.ts <installation> [name…]
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from './gateway-config.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { type ConnectOptions, connectRaw, openRaw, type RawClient, type SeenFrame, sayHello } from './raw-client.ts'
import { approvalScenarios } from './scenarios/approvals.ts'
import { fleetScenarios } from './scenarios/fleet.ts'
import { queueScenarios } from './scenarios/queue.ts'
import { openStage, pause, type Scenario } from './scenarios/stage.ts'
import { turnScenarios } from './scenarios/turns.ts'

const [installation, ...wanted] = process.argv.slice(2)
if (!installation) throw new TypeError('name the folder of an installation')
const { 'last-agent-deleted': lastAgentDeleted, ...fleet } = fleetScenarios
/** The last scenario deletes every agent, so it must stay last. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...turnScenarios,
  ...queueScenarios,
  ...approvalScenarios,
  ...fleet,
  'last-agent-deleted': lastAgentDeleted!,
}
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

const gateway = await startGateway({ installation })
const recordings = join(import.meta.dirname, '../../../packages/server/src/integrations/openclaw/recordings')
const target = join(recordings, gateway.version)
await mkdir(target, { recursive: true })
try {
  await recordHandshakes()
  const names = wanted.length === 0 ? Object.keys(SCENARIOS) : wanted.filter((name) => name in SCENARIOS)
  for (const name of names) await recordScenario(name, SCENARIOS[name]!)
  await recordShutdown()
  await recordStart()
} finally {
  await gateway.stop()
}

async function recordHandshakes(): Promise<void> {
  const handshakes: Readonly<Record<string, Partial<ConnectOptions>>> = {
    hello: {},
    'hello-with-origin': { headers: { origin: 'http://localhost:1234' } },
    'hello-node-host': { clientId: 'node-host' },
    'hello-unknown-client': { clientId: 'clawboo' },
    'hello-newer-protocol': { protocol: 9 },
    'wrong-token': { token: 'not-the-token' },
  }
  for (const [name, options] of Object.entries(handshakes)) {
    if (!isWanted(name)) continue
    const client = openRaw({ ...gateway, ...options })
    const hello = await sayHello(client, { ...gateway, ...options }).catch(() => null)
    if (hello) await client.request('agents.list').catch(() => null)
    await pause(2000)
    if (hello) await client.close()
    await client.closed
    await write(name, client)
  }
}

/** Repeats a scenario if its recording shows that the machine was too busy for the Gateway's own limits. */
async function recordScenario(name: string, scenario: Scenario): Promise<void> {
  for (let time = 1; time <= 3; time++) {
    const { client } = await connectRaw(gateway)
    const started = Date.now()
    let brokeOff = ''
    try {
      await scenario(openStage(gateway, client, time === 1 ? name : `${name}-${time}`))
    } catch (error) {
      brokeOff = (error as Error).message
    }
    await client.close()
    await write(name, client)
    const wasStarved = client.frames.some(({ frame }) => JSON.stringify(frame).includes('worker task timed out'))
    say(`${name}: ${Date.now() - started} ms${wasStarved ? ', starved' : ''} ${brokeOff}`)
    if (!wasStarved && !brokeOff) return
  }
}

async function recordShutdown(): Promise<void> {
  const { client } = await connectRaw(gateway)
  await gateway.terminate()
  await client.closed
  if (isWanted('shutdown')) await write('shutdown', client)
}

/** Connects during the start and keeps the last refusal. */
async function recordStart(): Promise<void> {
  if (!isWanted('starting')) return
  let isReady = false
  const restarted = gateway.restart().finally(() => {
    isReady = true
  })
  while (!isReady) {
    const client = openRaw(gateway)
    await sayHello(client, gateway).catch(() => client.closed)
    if (client.frames.some(({ frame }) => frame.ok === false)) await write('starting', client)
    await client.close()
    await pause(100)
  }
  await restarted
}

async function write(name: string, { frames }: RawClient): Promise<void> {
  const lines = frames.map((seen) => JSON.stringify(name.startsWith('hello') ? seen : withoutFeatures(seen)))
  await writeFile(join(target, `${name}.jsonl`), `${lines.map((line) => impersonal(line, gateway)).join('\n')}\n`)
}

/** The lists of methods and events are the same in each recording. */
function withoutFeatures(seen: SeenFrame): SeenFrame {
  const payload = seen.frame.payload as JsonObject | undefined
  if (payload?.type !== 'hello-ok') return seen
  return { ...seen, frame: { ...seen.frame, payload: { ...payload, features: { methods: [], events: [] } } } }
}

function impersonal(line: string, { dir, token }: GatewayProcess): string {
  const short = JSON.stringify(JSON.parse(line), (key, value: unknown) => {
    if (key === 'host' && value === hostname()) return '<host>'
    if (key === 'ip') return '<ip>'
    return typeof value === 'string' && value.length > 6000 ? `${value.slice(0, 500)}…` : value
  })
  return short
    .replaceAll(dir, '<dir>')
    .replaceAll(token, '<token>')
    .replaceAll(`${installation}/`, '<installation>/')
    .replaceAll(/Gateway: \S+ \([^)]*\)/g, 'Gateway: <host> (<ip>)')
}

function say(message: string): void {
  process.stdout.write(`${message}\n`)
}
