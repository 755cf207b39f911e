import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionSettings } from './connection-settings.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'

/** The connection that a person wished for, as a server that starts takes it up again. */
export interface WishedConnection {
  /** Opens it, if there is a wish. Does not wait for the Gateway. */
  resume(): Promise<void>
  /**
   * Resolves when the Gateway has given its first answer, whichever, or is late with it. What a server that starts has to
   * ask must neither be told that there is no connection, nor keep it from starting.
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
    // Whoever goes on without a connection is told so.
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
