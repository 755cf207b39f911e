import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends exact bytes and reads until the server closes, for requests that no well-behaved client would send. */
export function sendRaw(port: number, request: string | Buffer, timeoutMs = 5000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      const [head = '', ...rest] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') })
    }
    socket.setTimeout(timeoutMs, () => reject(new Error('the server neither responded nor closed')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', finish)
    socket.on('error', finish)
  })
}
