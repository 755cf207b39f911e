import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../../../../../bench/child-process.ts'
import { type DeltaReader, readDeltas } from '../../../../../../bench/delta-reader.ts'
import type { Benchmark } from '../../../../../../bench/harness.ts'
import { removeHome, startServer } from '../../../../../../test/server-process.ts'
import { OPENCLAW_ID } from '../descriptor.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

const FRAMES = 200
const EVERY_MS = 5

/** The delay from a Gateway frame to a reader of the agent's stream, compared with a bare relay. */
export const eventLag: Benchmark = {
  name: 'openclaw-event-lag',
  unit: 'ms at the 99th percentile',
  bound: { atMost: 5 },
  rounds: 15,
  async open() {
    const gateway = await startTestGateway()
    const server = await startServer({ env: { CLAWBOO_LOG: 'error' } })
    const { client, token } = server
    await client.connectSource({
      params: { sourceId: OPENCLAW_ID },
      body: { address: gateway.url, secret: gateway.token },
    })
    const { agents } = await untilSynced(() => client.listAgents({ query: { runtime: OPENCLAW_ID } }))
    const agent = agents[0]!
    // A run that lasts as long as frames arrive.
    gateway.answers['chat.send'] = ({ idempotencyKey }) => ({ runId: idempotencyKey, status: 'started' })
    await client.sendMessage({ params: { agentId: agent.id }, body: { text: 'Hello' } })
    const { params } = await until(() => gateway.sent.find(({ method }) => method === 'chat.send'))
    const talk = speaker(gateway, { runId: params.idempotencyKey, sessionKey: params.sessionKey, agentId: 'main' })
    const relay = await startChild(
      '../packages/server/src/integrations/openclaw/stand-in/test-bare-relay.ts',
      gateway.url,
      gateway.token,
    )
    const ours = await readDeltas(`${server.url}/api/agents/${agent.id}/stream`, { authorization: `Bearer ${token}` })
    const theirs = await readDeltas(relay.url)
    const measure = async (reader: DeltaReader) => {
      for (const one of [ours, theirs]) one.lags.length = 0
      await talk()
      await until(() => (reader.lags.length >= FRAMES ? true : undefined))
      return reader.lags.toSorted((a, b) => a - b)[Math.ceil(FRAMES * 0.99) - 1]!
    }
    return {
      value: () => measure(ours),
      baseline: () => measure(theirs),
      async close() {
        for (const reader of [ours, theirs]) reader.close()
        await relay.stop()
        await server.stop()
        await removeHome(server.home)
        await gateway.close()
      },
    }
  },
}

/** Sends a message in pieces, each with its send time; every call is a new message. */
function speaker(gateway: TestGateway, at: Readonly<Record<string, unknown>>): () => Promise<void> {
  let seq = 0
  let messages = 0
  const say = (stream: string, data: object) =>
    gateway.say('agent', { ...at, stream, data, seq: ++seq, ts: Date.now() })
  say('lifecycle', { phase: 'start' })
  return async () => {
    const itemId = `message:${++messages}`
    let text = ''
    for (let n = 0; n < FRAMES; n++) {
      const delta = `@${process.hrtime.bigint()}@ `
      text = n % 20 === 0 ? delta : text + delta
      say('assistant', { text, delta, itemId: `${itemId}:${Math.floor(n / 20)}` })
      await pause(EVERY_MS)
    }
  }
}

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await pause(5)
  }
}

async function untilSynced<T extends { readonly agents: readonly unknown[] }>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found.agents.length > 0) return found
    await pause(20)
  }
}
