import { afterAll, beforeAll, describe } from 'vitest'
import { testEngines } from '../packages/server/src/store/test-stores.ts'
import { removeHome, type ServerOptions, type ServerProcess, startServer, temporaryHome } from './server-process.ts'

/** Runs a suite against a whole server, once for each database engine available. */
export function describeServer(title: string, suite: (server: () => ServerProcess, restart: Restart) => void): void {
  describe.each(testEngines())(`${title} on $engine`, ({ createDatabase }) => {
    let running: ServerProcess
    let dispose = async () => {}
    let options: ServerOptions = {}
    beforeAll(async () => {
      const database = await createDatabase()
      const home = await temporaryHome()
      options = { home, databaseUrl: database.options.databaseUrl ?? null }
      running = await startServer(options)
      dispose = async () => {
        await running.stop()
        await removeHome(home)
        await database.dispose()
      }
    })
    afterAll(() => dispose())
    suite(
      () => running,
      async (how, more = {}) => {
        await running[how]()
        running = await startServer({ ...options, ...more })
        return running
      },
    )
  })
}

/** Stops or kills the server, and starts another with the same home and database. */
export type Restart = (how: 'stop' | 'kill', more?: ServerOptions) => Promise<ServerProcess>
