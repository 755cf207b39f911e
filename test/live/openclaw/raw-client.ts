import type { JsonObject } from './gateway-config.ts'

/** A frame of the protocol as it travels. */
export type Frame = JsonObject & { readonly type: string; readonly id?: string; readonly event?: string }

export interface SeenFrame {
  readonly at: number
  readonly from: 'client' | 'gateway'
  readonly frame: Frame
}

/** A request that the Gateway refused. */
export class Refused extends Error {
  readonly error: JsonObject

  constructor(method: string, error: JsonObject) {
    super(`${method}: ${error.code} ${error.message}`)
    this.error = error
  }
}

export interface RawClient {
  /** Every frame in both directions, oldest first; it grows. A last frame of type `close` has code and reason. */
  readonly frames: readonly SeenFrame[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Resolves to the payload, or rejects with `Refused`. */
  request(method: string, params?: JsonObject): Promise<JsonObject>
  /** The first matching frame from the Gateway, past or future, starting at index `from` of `frames`. */
  until(fits: (frame: Frame) => boolean, from?: number): Promise<Frame>
  close(): Promise<void>
}

export interface ConnectOptions {
  readonly url: string
  readonly token: string
  readonly clientId?: string
  readonly clientMode?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly scopes?: readonly string[]
  readonly caps?: readonly string[]
  readonly protocol?: number
}

export const ALL_SCOPES = ['operator.read', 'operator.write', 'operator.admin', 'operator.approvals'] as const

/** Connects and completes the handshake. If that fails, the error contains the frames. */
export async function connectRaw(options: ConnectOptions): Promise<{ client: RawClient; hello: JsonObject }> {
  const client = openRaw(options)
  try {
    const hello = await sayHello(client, options)
    return { client, hello }
  } catch (error) {
    await client.close()
    throw error
  }
}

/** Answers the challenge; resolves to `hello-ok`. */
export async function sayHello(client: RawClient, options: ConnectOptions): Promise<JsonObject> {
  await client.until(({ event }) => event === 'connect.challenge')
  return client.request('connect', {
    minProtocol: options.protocol ?? 4,
    maxProtocol: options.protocol ?? 4,
    client: {
      id: options.clientId ?? 'gateway-client',
      version: '1.0.0',
      platform: 'linux',
      mode: options.clientMode ?? 'backend',
    },
    role: 'operator',
    scopes: options.scopes ?? ALL_SCOPES,
    caps: options.caps ?? ['tool-events', 'exec-approvals'],
    auth: { token: options.token },
  })
}

const WAIT_MS = 300_000

/** A socket that has sent nothing yet. */
export function openRaw({ url, headers }: ConnectOptions): RawClient {
  const started = Date.now()
  const frames: SeenFrame[] = []
  const changed = new Set<() => void>()
  const socket = new WebSocket(url, { headers: { ...headers } } as unknown as string[])
  const note = (from: SeenFrame['from'], frame: Frame) => {
    frames.push({ at: Date.now() - started, from, frame })
    for (const look of [...changed]) look()
  }
  socket.addEventListener('message', ({ data }) => note('gateway', JSON.parse(String(data)) as Frame))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      note(isLeaving ? 'client' : 'gateway', { type: 'close', code, reason })
      resolve({ code, reason })
    })
  })
  let [lastId, isLeaving] = [0, false]
  const until: RawClient['until'] = (fits, from = 0) =>
    new Promise((resolve, reject) => {
      let next = from
      const finish = (act: () => void) => {
        changed.delete(look)
        clearTimeout(timer)
        act()
      }
      const look = () => {
        for (; next < frames.length; next++) {
          const { from: side, frame } = frames[next]!
          if (side === 'gateway' && fits(frame)) return finish(() => resolve(frame))
          if (frame.type === 'close')
            return finish(() => reject(new Error(`closed with ${frame.code} ${frame.reason} before that`)))
        }
      }
      const giveUp = () => finish(() => reject(new Error(`never came; the last frames:\n${lastOf(frames)}`)))
      const timer = setTimeout(giveUp, WAIT_MS)
      changed.add(look)
      look()
    })
  return {
    frames,
    closed,
    until,
    async request(method, params = {}) {
      const frame: Frame = { type: 'req', id: String(++lastId), method, params }
      const from = frames.length
      note('client', frame)
      socket.send(JSON.stringify(frame))
      const answer = await until(({ type, id }) => type === 'res' && id === frame.id, from)
      if (answer.ok !== true) throw new Refused(method, answer.error as JsonObject)
      return answer.payload as JsonObject
    },
    async close() {
      isLeaving = true
      socket.close()
      await closed
    },
  }
}

function lastOf(frames: readonly SeenFrame[]): string {
  return frames
    .slice(-8)
    .map((seen) => JSON.stringify(seen).slice(0, 400))
    .join('\n')
}
