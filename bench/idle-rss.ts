import { setTimeout as pause } from 'node:timers/promises'
import { removeHome, startServer, temporaryHome } from '../test/server-process.ts'
import { startBareServer } from './bare-server.ts'
import type { Benchmark } from './harness.ts'
import { residentMib } from './resident-mib.ts'

const BARE = `
  import { DatabaseSync } from 'node:sqlite'
  const database = new DatabaseSync(process.argv.at(-1))
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a)')
  console.log(process.pid)
  setInterval(() => {}, 1000)`

const SETTLE_MS = 1500

/** Resident memory of an idle server, against a Node process with an open SQLite file. */
export const idleRss: Benchmark = {
  name: 'idle-rss',
  unit: 'MiB',
  bound: { atMost: 1.8 },
  async open() {
    const home = await temporaryHome()
    return {
      async value() {
        const server = await startServer({ home, env: { CLAWBOO_LOG: 'error' } })
        await server.client.checkHealth({})
        await pause(SETTLE_MS)
        const size = await residentMib(server.child.pid!)
        await server.stop()
        return size
      },
      async baseline() {
        const bare = await startBareServer(BARE, `${home}/bare.sqlite`)
        await pause(SETTLE_MS)
        const size = await residentMib(Number(new URL(bare.url).port || bare.url.split(':').at(-1)))
        await bare.stop()
        return size
      },
      close: () => removeHome(home),
    }
  },
}
