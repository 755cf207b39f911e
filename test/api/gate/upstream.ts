import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** The program behind a gate: accepts one secret, then sends its agents whenever they change. */
export interface GateUpstream {
  readonly address: string
  /** Every secret that it received; null = a client without one. */
  readonly seen: readonly (string | null)[]
  tell(agents: readonly string[]): void
  /** Stops listening and disconnects every client. */
  leave(): Promise<void>
  comeBack(): Promise<void>
}

export async function startUpstream(secret: string, agents: readonly string[]): Promise<GateUpstream> {
  const seen: (string | null)[] = []
  const all = new Set<Socket>()
  const letIn = new Set<Socket>()
  let listed = agents
  const send = (socket: Socket, frame: unknown) => socket.write(`${JSON.stringify(frame)}\n`)
  const server = createServer((socket) => {
    all.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      all.delete(socket)
      letIn.delete(socket)
    })
    const lines = createInterface({ input: socket }).on('error', () => {})
    lines.on('line', (line) => {
      const received = (JSON.parse(line) as { secret: string | null }).secret
      seen.push(received)
      if (received !== secret) {
        const code = received === null ? 'secret_missing' : 'secret_wrong'
        const message = received === null ? 'it requires a secret' : `"${received}" is not the secret`
        send(socket, { refused: { code, message } })
        return
      }
      letIn.add(socket)
      send(socket, { hello: { version: '4.7.11', scopes: ['gate.read', 'gate.write', 'gate.dig'] } })
      send(socket, { agents: listed })
    })
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  return {
    address: `127.0.0.1:${port}`,
    seen,
    tell(agents) {
      listed = agents
      for (const socket of letIn) send(socket, { agents })
    },
    async leave() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of all) socket.destroy()
      await closed
    },
    comeBack: async () => void (await listen(port)),
  }
}
