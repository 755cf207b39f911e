import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Relays between a client and a server, so that a test can cut and restore the connection. */
export interface TestRelay {
  readonly url: string
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function startTestRelay(serverUrl: string): Promise<TestRelay> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const accept = (client: Socket) => {
    const server = connect(Number(target.port), target.hostname)
    sockets.add(client)
    client.pipe(server).pipe(client)
    client.on('error', () => {}).on('close', () => server.destroy() && sockets.delete(client))
    server.on('error', () => {}).on('close', () => client.destroy())
  }
  const listen = async (port: number) => {
    const server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const url = new URL(serverUrl)
  url.port = String(port)
  return {
    url: url.href,
    async cut() {
      const closing = server
      server = undefined
      if (!closing) return
      closing.close()
      for (const socket of sockets) socket.destroy()
      await once(closing, 'close')
    },
    async mend() {
      server = await listen(port)
    },
  }
}
