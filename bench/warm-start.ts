import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { removeHome, startServer, temporaryHome } from '../test/server-process.ts'
import type { Benchmark } from './harness.ts'

/** From the start of the process to the first response, against `node -e 0`. */
export const warmStart: Benchmark = {
  name: 'warm-start',
  unit: 'ms',
  bound: { atMost: 6 },
  async open() {
    const home = await temporaryHome()
    return {
      async value() {
        const start = performance.now()
        const server = await startServer({ home, env: { CLAWBOO_LOG: 'error' } })
        await server.client.checkHealth({})
        const took = performance.now() - start
        await server.stop()
        return took
      },
      async baseline() {
        const start = performance.now()
        await once(spawn(process.execPath, ['-e', '0']), 'exit')
        return performance.now() - start
      },
      close: () => removeHome(home),
    }
  },
}
