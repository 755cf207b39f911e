import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that can be cut and restored like a real network. */
export interface TestLine {
  readonly port: number
  cut(): void
  mend(): void
  /** Holds back all data from the server until `release`. */
  hold(): void
  release(): void
  /** The data held back so far. */
  held(): string
  /** The number of bytes sent to the server. */
  sent(): number
  close(): Promise<void>
}

export async function openTestLine(target: number): Promise<TestLine> {
  const sockets = new Set<Socket>()
  const waiting: { readonly to: Socket; readonly bytes: Buffer }[] = []
  let [isCut, isHeld, sentBytes] = [false, false, 0]
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
    }
    near.on('data', (bytes: Buffer) => {
      sentBytes += bytes.length
      far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      if (isHeld) waiting.push({ to: near, bytes })
      else near.write(bytes)
    })
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
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      for (const { to, bytes } of waiting.splice(0)) to.write(bytes)
    },
    held: () => Buffer.concat(waiting.map(({ bytes }) => bytes)).toString(),
    sent: () => sentBytes,
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
