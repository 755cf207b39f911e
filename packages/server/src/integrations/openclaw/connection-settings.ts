import { isIPv4, isIPv6 } from 'node:net'
import { ClawbooError } from '@clawboo/core'
import type { IntegrationHost } from '../host.ts'
import { CONNECTION_SETTING } from './connection-wish.ts'
import { object, text } from './gateway/gateway-frames.ts'

const SECRET = 'gateway-token'

/** The connection that a person configured. The secret belongs to its address and is sent nowhere else. */
export interface ConnectionSettings {
  /** null = not configured. */
  address(): Promise<string | null>
  secretFor(address: string): Promise<string | null>
  keep(address: string, secret: string | null): Promise<void>
  forget(): Promise<void>
}

export function createConnectionSettings({ settings, secrets }: IntegrationHost): ConnectionSettings {
  return {
    address: async () => text(object(await settings.get(CONNECTION_SETTING)).address) || null,
    async secretFor(address) {
      const kept = await secrets.read(SECRET)
      const [of, secret] = kept === null ? [] : splitOnce(kept)
      return of === address ? (secret ?? null) : null
    },
    async keep(address, secret) {
      await settings.set(CONNECTION_SETTING, { address })
      if (secret === null) await secrets.remove(SECRET)
      else await secrets.store(SECRET, `${address}\n${secret}`)
    },
    async forget() {
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
export function checkAddress(given: string): string {
  const trimmed = given.trim()
  const url = URL.parse(/^\w+:\/\//.test(trimmed) ? trimmed.replace(/^http/, 'ws') : `ws://${trimmed}`)
  if (!url?.hostname || !['ws:', 'wss:'].includes(url.protocol))
    throw invalid(given, 'it is no address of a Gateway, such as ws://127.0.0.1:18789')
  if (url.username || url.password) throw invalid(given, 'a password does not belong into an address')
  if (url.protocol === 'ws:' && !isLoopback(url.hostname))
    throw invalid(
      given,
      'to another machine only an encrypted connection is made: use wss://, or a tunnel to 127.0.0.1',
    )
  url.hash = ''
  return url.href.replace(/\/$/, '')
}

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIPv4(bare)) return bare.startsWith('127.')
  return isIPv6(bare) ? bare === '::1' : bare === 'localhost'
}

function invalid(given: string, why: string): ClawbooError {
  // The part before an @ may be a password.
  const shown = given.slice(0, 200).replace(/\/\/.*@/, '//…@')
  return new ClawbooError('connection_invalid', `${JSON.stringify(shown)} cannot be connected to: ${why}`, {
    details: { field: 'address' },
  })
}
