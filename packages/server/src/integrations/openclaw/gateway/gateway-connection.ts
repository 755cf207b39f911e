import { type ClawbooError, createInOrderByKey } from '@clawboo/core'
import type { ConnectionProblem, ConnectionState } from '@clawboo/core/registry'
import type { GatewayClient } from '@openclaw/gateway-client'
import { callError, gatewayDisconnected } from './call-error.ts'
import { problemOf, scopesMissing, waitsForPerson } from './connection-problem.ts'
import type { DeviceKeys } from './device-keys.ts'
import { type GatewayFrame, type GatewayHello, object, readHello, text } from './gateway-frames.ts'
import { type ClientEvents, type GatewayTarget, openClient } from './open-client.ts'

/**
 * The one connection to the Gateway. Until it first opens, failed attempts are repeated here (2 s to 60 s); afterwards
 * the client's own loop reconnects. The two never run at the same time.
 */
export interface GatewayConnection {
  status(): GatewayStatus
  /** Resolves with the first result, which may be a problem. */
  open(target: GatewayTarget): Promise<void>
  close(): Promise<void>
  /** Throws `upstream_disconnected`, `rate_limited`, or `upstream_refused` with the Gateway's own message. */
  call<T = Readonly<Record<string, unknown>>>(method: string, params?: object, options?: CallOptions): Promise<T>
  /** Calls the listener with each later frame, in order. */
  onFrame(listener: (frame: GatewayFrame) => void): () => void
  /** Calls the listener after every change, and after lost frames. */
  onChange(listener: (status: GatewayStatus) => void): () => void
}

export interface GatewayStatus {
  readonly state: ConnectionState
  /** Epoch ms. */
  readonly since: number
  /** From the newest connection, even if it is closed. */
  readonly hello: GatewayHello | null
  readonly problem: ConnectionProblem | null
}

export interface CallOptions {
  readonly timeoutMs?: number
}

const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000

interface Dependencies {
  readonly now: () => number
  readonly deviceKeys: () => Promise<DeviceKeys>
}

export function createGatewayConnection(dependencies: Dependencies): GatewayConnection {
  const frames = new Set<(frame: GatewayFrame) => void>()
  const changes = new Set<(status: GatewayStatus) => void>()
  let status: GatewayStatus = { state: 'disconnected', since: dependencies.now(), hello: null, problem: null }
  let opening: Opening | null = null

  const change = (next: Partial<GatewayStatus>) => {
    const state = next.state ?? status.state
    status = { ...status, ...next, since: state === status.state ? status.since : dependencies.now() }
    for (const listener of [...changes]) listener(status)
  }
  // In order: of two simultaneous calls the later one wins, and the earlier one leaves nothing open.
  const inOrder = createInOrderByKey()
  const close = async () => {
    const ended = opening
    opening = null
    await ended?.end()
  }
  const begin = async (target: GatewayTarget): Promise<Opening> => {
    await close()
    change({ state: 'connecting', hello: null, problem: null })
    const created = new Opening(target, dependencies, {
      change: (next) => opening === created && change(next),
      frame: (frame) => {
        if (opening === created) for (const listener of [...frames]) listener(frame)
      },
    })
    opening = created
    return created
  }

  return {
    status: () => status,
    open: async (target) => (await inOrder('connection', () => begin(target))).begin(),
    close: () =>
      inOrder('connection', async () => {
        await close()
        change({ state: 'disconnected', problem: null })
      }),
    async call<T>(method: string, params: object = {}, options: CallOptions = {}) {
      const client = status.state === 'connected' ? opening?.client : null
      if (!client) throw disconnected(status)
      try {
        return await client.request<T>(method, params, options)
      } catch (error) {
        throw callError(method, error)
      }
    },
    onFrame(listener) {
      frames.add(listener)
      return () => frames.delete(listener)
    },
    onChange(listener) {
      changes.add(listener)
      return () => changes.delete(listener)
    },
  }
}

function disconnected({ problem }: GatewayStatus): ClawbooError {
  const why = problem ? `: ${problem.message}` : ''
  return gatewayDisconnected(`the OpenClaw Gateway is not connected${why}`)
}

interface OpeningListener {
  change(next: Partial<GatewayStatus>): void
  frame(frame: GatewayFrame): void
}

/** One open connection request, from its first attempt to its end. */
class Opening {
  client: GatewayClient | null = null
  readonly #target: GatewayTarget
  readonly #dependencies: Dependencies
  readonly #listener: OpeningListener
  readonly #firstAnswer = Promise.withResolvers<void>()
  #everOpen = false
  #hasGivenUp = false
  #withDevice = false
  #failures = 0
  #ended = false
  #retry: NodeJS.Timeout | null = null

  constructor(target: GatewayTarget, dependencies: Dependencies, listener: OpeningListener) {
    this.#target = target
    this.#dependencies = dependencies
    this.#listener = listener
  }

  async begin(): Promise<void> {
    await this.#attempt()
    await this.#firstAnswer.promise
  }

  async end(): Promise<void> {
    this.#ended = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#firstAnswer.resolve()
    // The client is dropped in any case.
    await this.client?.stopAndWait({ timeoutMs: 2_000 }).catch(() => {})
    this.client = null
  }

  async #attempt(): Promise<void> {
    let settled = false
    const fail = (error: unknown) => {
      if (settled || this.#ended) return
      settled = true
      this.#failed(error)
    }
    const events: ClientEvents = {
      onHello: (hello) => {
        settled = true
        this.#opened(readHello(hello))
      },
      onConnectError: (error) => (this.#everOpen ? this.#listener.change({ problem: problemOf(error) }) : fail(error)),
      onClose: (code, reason, error) =>
        this.#everOpen ? this.#dropped() : fail(error ?? new Error(`closed with ${code} ${reason}`)),
      onPaused: (error) => this.#everOpen && this.#gaveUp(error),
      onFrame: (frame) => this.#listener.frame(frame),
      onGap: () => this.#listener.change({}),
    }
    try {
      const device = this.#withDevice ? await this.#dependencies.deviceKeys() : null
      const client = await openClient(this.#target, device, events)
      if (this.#ended) return void client.stop()
      this.client = client
      client.start()
    } catch (error) {
      fail(error)
    }
  }

  #opened(hello: GatewayHello): void {
    if (this.#ended) return
    const missing = scopesMissing(hello.scopes)
    if (missing && this.#withDevice) this.#refused(missing, hello)
    else if (missing) this.#tryWithDevice()
    else {
      this.#everOpen = true
      this.#listener.change({ state: 'connected', hello, problem: null })
      this.#firstAnswer.resolve()
    }
  }

  #dropped(): void {
    if (!this.#ended && !this.#hasGivenUp) this.#listener.change({ state: 'reconnecting' })
  }

  /** The client has stopped retrying, because a person must act. Its close event follows. */
  #gaveUp(error: unknown): void {
    this.#hasGivenUp = true
    if (!this.#ended) this.#listener.change({ state: 'disconnected', problem: problemOf(error) })
  }

  #failed(error: unknown): void {
    const detail = text(object(object(error).details).code)
    const wantsDevice = detail === 'DEVICE_IDENTITY_REQUIRED' && this.#target.secret !== null
    if (wantsDevice && !this.#withDevice) this.#tryWithDevice()
    else this.#refused(problemOf(error), null)
  }

  /** Some Gateways grant scopes only to a known device. */
  #tryWithDevice(): void {
    this.#withDevice = true
    this.#dropClient()
    void this.#attempt()
  }

  #refused(problem: ConnectionProblem, hello: GatewayHello | null): void {
    this.#dropClient()
    const isOver = waitsForPerson(problem)
    this.#listener.change({ state: isOver ? 'disconnected' : 'connecting', problem, ...(hello && { hello }) })
    this.#firstAnswer.resolve()
    if (isOver) return
    const delay = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LONGEST_RETRY_MS)
    this.#retry = setTimeout(() => void this.#attempt(), delay)
    this.#retry.unref()
  }

  #dropClient(): void {
    this.client?.stop()
    this.client = null
  }
}
