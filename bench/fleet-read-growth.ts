import type { Benchmark } from './harness.ts'
import { createHttpLoad } from './http-load.ts'
import { startSeededServer } from './seeded-server.ts'

const READS = 12

/** A fleet read right after a change with 10,000 agents, against ten times the cost of that read with 1,000. */
export const fleetReadGrowth: Benchmark = {
  name: 'fleet-read-growth',
  unit: 'ms per read',
  bound: { atMost: 1.15 },
  async open() {
    const [small, large] = [await startSeededServer(1000), await startSeededServer(10_000)]
    const load = createHttpLoad(1)
    const readAfterChange = async (server: typeof small) => {
      const headers = { authorization: `Bearer ${server.token}` }
      let total = 0
      for (let n = 0; n < READS; n++) {
        const body = JSON.stringify({ description: `change ${n} ${Math.random()}` })
        await load.send(
          'PATCH',
          `${server.url}/api/teams/team-1`,
          { ...headers, 'content-type': 'application/json' },
          body,
        )
        const start = performance.now()
        await load.send('GET', `${server.url}/api/agents`, headers)
        total += performance.now() - start
      }
      return total / READS
    }
    return {
      value: () => readAfterChange(large),
      baseline: async () => 10 * (await readAfterChange(small)),
      async close() {
        load.close()
        await small.remove()
        await large.remove()
      },
    }
  },
}
