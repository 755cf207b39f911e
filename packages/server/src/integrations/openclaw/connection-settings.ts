import { isIPv4, isIPv6 } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import type { ConnectionView, SourceConnection } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { CONNECTION_SETTING } from './descriptor.ts'
import { discoverGateways } from './discover-gateways.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { object, text } from './gateway/gateway-frames.ts'
import type { OutsideApprovals } from './outside-approvals.ts'

const SECRET = 'gateway-token'

export type ConnectionSettings = ReturnType<typeof createConnectionSettings>

/** The connection that a person configured. The secret belongs to its address and is sent nowhere else. */
export function createConnectionSettings({ settings, secrets }: IntegrationHost) {
  return {
    /** null = not configured. */
    address: async (): Promise<string | null> => text(object(await settings.get(CONNECTION_SETTING)).address) || null,
    async secretFor(address: string): Promise<string | null> {
      const kept = await secrets.read(SECRET)
      const [of, secret] = kept === null ? [] : splitOnce(kept)
      return of === address ? (secret ?? null) : null
    },
    async keep(address: string, secret: string | null): Promise<void> {
      await settings.set(CONNECTION_SETTING, { address })
      if (secret === null) await secrets.remove(SECRET)
      else await secrets.store(SECRET, `${address}\n${secret}`)
    },
    async forget(): Promise<void> {
      await settings.set(CONNECTION_SETTING, {})
      await secrets.remove(SECRET)
    },
  }
}

function splitOnce(kept: string): [string, string] {
  const at = kept.indexOf('\n')
  return [kept.slice(0, at), kept.slice(at + 1)]
}

/** Throws `connection_invalid`. A secret is sent unencrypted only on this machine. */
export function checkAddress(address: string): string {
  const trimmed = address.trim()
  const url = URL.parse(/^\w+:\/\//.test(trimmed) ? trimmed.replace(/^http/, 'ws') : `ws://${trimmed}`)
  if (!url?.hostname || !['ws:', 'wss:'].includes(url.protocol))
    throw invalid(address, 'it is not a Gateway address, such as ws://127.0.0.1:18789')
  if (url.username || url.password) throw invalid(address, 'an address must not contain a user name or a password')
  if (url.protocol === 'ws:' && !isLoopback(url.hostname))
    throw invalid(address, 'a connection to another machine must be encrypted: use wss://, or a tunnel to 127.0.0.1')
  url.hash = ''
  return url.href.replace(/\/$/, '')
}

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIPv4(bare)) return bare.startsWith('127.')
  return isIPv6(bare) ? bare === '::1' : bare === 'localhost'
}

function invalid(address: string, why: string): ClawbooError {
  // The part before an @ may be a password.
  const shown = address.slice(0, 200).replace(/\/\/.*@/, '//…@')
  return new ClawbooError('connection_invalid', `cannot connect to ${JSON.stringify(shown)}: ${why}`, {
    details: { field: 'address' },
  })
}

const LATE_MS = 5_000

/** Restores the configured connection when a server starts. */
export function restoredConnection(gateway: GatewayConnection, settings: ConnectionSettings) {
  let resuming: Promise<void> | null = null
  let answer = Promise.resolve()
  let first: Promise<void> | null = null
  const open = async () => {
    const address = await settings.address()
    if (address === null) return
    const secret = await settings.secretFor(address)
    if (gateway.status().state === 'disconnected') answer = gateway.open({ address, secret })
  }
  const resume = () => {
    resuming ??= open().finally(() => {
      resuming = null
    })
    return resuming
  }
  const firstAnswer = async () => {
    // Ignored: callers that continue without a connection get their own error.
    await resume().catch(() => {})
    await Promise.race([answer, pause(LATE_MS, undefined, { ref: false })])
  }
  return {
    /** Opens the connection if one is configured. Does not wait for the Gateway. */
    resume,
    /**
     * Resolves after the Gateway's first answer of any kind, or after a time limit. A starting server must not see a
     * missing connection too early, and a slow Gateway must not keep it from starting.
     */
    answered: () => {
      first ??= firstAnswer()
      return first
    },
  }
}

/** A person's controls for the Gateway connection. */
export function createSourceConnection(
  { machine, records }: IntegrationHost,
  gateway: GatewayConnection,
  settings: ConnectionSettings,
  outside: Pick<OutsideApprovals, 'forget'>,
): SourceConnection {
  const read = async (): Promise<ConnectionView> => {
    const { state, since, hello, problem } = gateway.status()
    const [address, lastSyncAt] = await Promise.all([settings.address(), records.lastSyncAt()])
    const [version, scopes] = [hello?.version || null, hello?.scopes ?? []]
    return { state, since, address, version, scopes, lastSyncAt, problem }
  }
  return {
    read,
    discover: async () => (await discoverGateways(machine)).map(({ secret: _, ...found }) => found),
    async connect(request) {
      const address = checkAddress(request.address)
      const secret = request.secret ?? (await settings.secretFor(address)) ?? (await ownSecret(address))
      // Questions of the previous Gateway are no longer relevant.
      if (address !== (await settings.address())) await outside.forget()
      await settings.keep(address, secret)
      await gateway.open({ address, secret })
      return read()
    },
    async disconnect() {
      await settings.forget()
      await gateway.close()
      await outside.forget()
      return read()
    },
  }

  async function ownSecret(address: string): Promise<string | null> {
    return (await discoverGateways(machine)).find((found) => found.address === address)?.secret ?? null
  }
}
