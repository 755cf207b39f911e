import { connect, createServer, type Socket } from 'node:net'

/** A line to a server that can be cut and mended: what is connected over it hears of it as over a real network. */
export interface TestLine {
  readonly port: number
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function openTestLine(target: number): Promise<TestLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut,
    mend: () => {
      isCut = false
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
