import { readFile } from 'node:fs/promises'
import { connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ClawbooError } from '@clawboo/core'
import type {
  ConnectionProblemCode,
  ConnectionRequest,
  ConnectionState,
  ConnectionView,
  FoundUpstream,
  SourceConnection,
} from '@clawboo/core/registry'
import type { IntegrationHost } from '../../../packages/server/src/integrations/host.ts'

export interface GateConnection extends SourceConnection {
  /** Reconnects to the upstream that a person connected before the server stopped. */
  start(): Promise<void>
  stop(): void
  readonly state: ConnectionState
  readonly listed: readonly string[]
  /** Called with every list of the upstream, and awaited before the list counts as seen. */
  onList: () => Promise<void>
  onState: (state: ConnectionState) => void
}

type Frame =
  | { readonly hello: { readonly version: string; readonly scopes: readonly string[] } }
  | { readonly agents: readonly string[] }
  | { readonly refused: { readonly code: ConnectionProblemCode; readonly message: string } }

const RETRY_MS = 100

/** Frames are lines of JSON. Our first line is the secret. */
export function createGateConnection(host: IntegrationHost): GateConnection {
  let socket: Socket | null = null
  let retry: NodeJS.Timeout | undefined
  let address: string | null = null
  let view: Omit<ConnectionView, 'address' | 'lastSyncAt'> = {
    state: 'disconnected',
    since: host.now(),
    version: null,
    scopes: [],
    problem: null,
  }
  const enter = (state: ConnectionState, more: Partial<typeof view> = {}) => {
    const changed = view.state !== state
    view = { ...view, problem: null, ...more, state, since: changed ? host.now() : view.since }
    if (changed) connection.onState(state)
  }
  const hangUp = () => {
    clearTimeout(retry)
    socket?.removeAllListeners('close')
    socket?.destroy()
    socket = null
  }
  const read = async (): Promise<ConnectionView> => ({ ...view, address, lastSyncAt: await host.records.lastSyncAt() })

  /** Resolves with the first response and keeps running. */
  const open = (target: string, secret: string | null): Promise<void> => {
    hangUp()
    const line = openLine(target, secret, {
      onFrame: (frame) => take(frame, secret),
      onClose() {
        const problem = { code: 'unreachable', message: `nothing responds at ${target}`, remedy: 'Start it.' } as const
        enter('reconnecting', { problem })
        retry = setTimeout(() => void open(target, secret), RETRY_MS)
      },
    })
    socket = line.socket
    return line.firstResponse
  }
  const take = async (frame: Frame, secret: string | null) => {
    if ('refused' in frame) {
      hangUp()
      const { code, message } = frame.refused
      const clean = secret === null ? message : message.replaceAll(secret, '…')
      enter('disconnected', { problem: { code, message: clean, remedy: 'Enter the secret from gate.json.' } })
    } else if ('hello' in frame) view = { ...view, ...frame.hello }
    else {
      connection.listed = frame.agents
      await connection.onList()
      enter('connected')
    }
  }

  const connection: GateConnection & { listed: readonly string[] } = {
    listed: [],
    onList: async () => {},
    onState: () => {},
    get state() {
      return view.state
    },
    read,
    discover: () => findGate(host),
    async connect(request: ConnectionRequest) {
      if (!/^127\.0\.0\.1:\d{1,5}$/.test(request.address))
        throw new ClawbooError('connection_invalid', `"${request.address}" is not on this machine`)
      const secret =
        request.secret ?? (await storedSecret(host, request.address)) ?? (await foundSecret(host, request.address))
      address = request.address
      await host.settings.set('address', address)
      await storeSecret(host, address, secret)
      enter('connecting')
      await open(address, secret)
      return read()
    },
    async disconnect() {
      hangUp()
      address = null
      await host.settings.set('address', null)
      await host.secrets.remove('secret')
      // The caller sends the event.
      view = { ...view, state: 'disconnected', since: host.now(), problem: null, scopes: [] }
      return read()
    },
    async start() {
      address = (await host.settings.get<string | null>('address')) ?? null
      if (address === null) return
      enter('connecting')
      await open(address, await storedSecret(host, address))
    },
    stop: hangUp,
  }
  return connection
}

interface LineHandlers {
  onFrame(frame: Frame): Promise<void>
  onClose(): void
}

function openLine(target: string, secret: string | null, { onFrame, onClose }: LineHandlers) {
  const [name, port] = target.split(':') as [string, string]
  const socket = dial({ host: name, port: Number(port) })
  const firstResponse = new Promise<void>((resolve) => {
    // `close` follows every error.
    socket.on('error', () => {})
    socket.on('connect', () => socket.write(`${JSON.stringify({ secret })}\n`))
    socket.on('close', () => {
      onClose()
      resolve()
    })
    const lines = createInterface({ input: socket }).on('error', () => {})
    lines.on('line', async (line) => {
      const frame = JSON.parse(line) as Frame
      await onFrame(frame)
      if (!('hello' in frame)) resolve()
    })
  })
  return { socket, firstResponse }
}

async function findGate(host: IntegrationHost): Promise<FoundUpstream[]> {
  const found = await readSettings(host)
  if (!found) return []
  const isRunning = await answersAt(found.address)
  return [{ address: found.address, foundIn: '~/gate.json', isRunning, secretKnown: found.secret !== undefined }]
}

async function storeSecret(host: IntegrationHost, address: string, secret: string | null): Promise<void> {
  if (secret === null) await host.secrets.remove('secret')
  else await host.secrets.store('secret', JSON.stringify({ address, secret }))
}

async function storedSecret(host: IntegrationHost, address: string): Promise<string | null> {
  const stored = await host.secrets.read('secret')
  const entry = stored === null ? null : (JSON.parse(stored) as { address: string; secret: string })
  return entry?.address === address ? entry.secret : null
}

async function foundSecret(host: IntegrationHost, address: string): Promise<string | null> {
  const found = await readSettings(host)
  return found?.address === address ? (found.secret ?? null) : null
}

async function readSettings(host: IntegrationHost): Promise<{ address: string; secret?: string } | null> {
  const text = await readFile(join(host.machine.userHome, 'gate.json'), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as { address: string; secret?: string })
}

function answersAt(address: string): Promise<boolean> {
  const [name, port] = address.split(':') as [string, string]
  return new Promise((resolve) => {
    const socket = dial({ host: name, port: Number(port) })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
