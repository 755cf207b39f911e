import { startChild } from './child-process.ts'
import { readDeltas } from './delta-reader.ts'
import type { Benchmark } from './harness.ts'
import { startModelledServer } from './modelled-server.ts'

const AGENTS = 50
const LEAST_DELTAS = 30
const MOST_DELTAS = 55
const EVERY_MS = 50

/**
 * Fifty agents stream at once, twenty deltas per second each, and end one after another: the 99th percentile of the
 * latency of a delta from the model to the reader of its agent's stream, against the median of the same deltas.
 */
export const nativeFeedLag: Benchmark = {
  name: 'native-feed-lag',
  unit: 'ms at the 99th percentile',
  bound: { atMost: 10 },
  rounds: 15,
  async open() {
    const model = await startChild(
      'timed-model-child.ts',
      ...[AGENTS, LEAST_DELTAS, EVERY_MS, MOST_DELTAS - LEAST_DELTAS].map(String),
    )
    const server = await startModelledServer(model.url, AGENTS)
    const readers = await Promise.all(
      server.agentIds.map((id) => readDeltas(`${server.url}/api/agents/${id}/stream`, server.headers)),
    )
    let lags: number[] = []
    return {
      async value() {
        const done = readers.map((reader) => reader.until('"type":"done"'))
        for (const agentId of server.agentIds) await server.say(agentId, 'Hello')
        await Promise.all(done)
        lags = readers.flatMap((reader) => reader.lags.splice(0)).sort((a, b) => a - b)
        if (lags.length < AGENTS * LEAST_DELTAS) throw new Error(`only ${lags.length} deltas came`)
        return lags[Math.ceil(lags.length * 0.99) - 1]!
      },
      baseline: async () => lags[lags.length >> 1]!,
      async close() {
        for (const reader of readers) reader.close()
        await server.remove()
        await model.stop()
      },
    }
  },
}
