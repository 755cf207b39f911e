import { type AddressInfo, createServer } from 'node:net'

/** An address where nothing listens: a port that was just released. */
export function refusedUrl(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(`http://127.0.0.1:${port}`))
    })
  })
}
