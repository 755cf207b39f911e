import { afterAll, beforeAll } from 'vitest'
import { removeHome, type ServerOptions, type ServerProcess, startServer } from './server-process.ts'

/** One server for a whole test file, on SQLite. */
export function oneServer(options: ServerOptions = {}): () => ServerProcess {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer(options)
  })
  afterAll(async () => {
    await server.stop()
    await removeHome(server.home)
  })
  return () => server
}
