import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionSettings } from './connection-settings.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'

/** Restores the configured connection when a server starts. */
export interface WishedConnection {
  /** Opens the connection if one is configured. Does not wait for the Gateway. */
  resume(): Promise<void>
  /**
   * Resolves after the Gateway's first answer of any kind, or after a time limit. A starting server must not see a
   * missing connection too early, and a slow Gateway must not keep it from starting.
   */
  answered(): Promise<void>
}

const LATE_MS = 5_000

export function wishedConnection(gateway: GatewayConnection, settings: ConnectionSettings): WishedConnection {
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
    resume,
    answered: () => {
      first ??= firstAnswer()
      return first
    },
  }
}
