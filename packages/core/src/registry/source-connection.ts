import type { ConnectionState } from './health.ts'

/**
 * The connection of a source to its upstream, as a person makes and ends it.
 *
 * Contract. `read` answers at once from what is known and never rejects. `connect` keeps the address and the secret and
 * resolves with the first answer of the upstream, also when that is a problem: the connection then goes on trying, or
 * waits for a person where trying again would come to the same. Whatever happens to the connection, agents that were
 * seen stay readable.
 */
export interface SourceConnection {
  read(): Promise<ConnectionView>
  /** Looks for upstreams on this machine, and at nothing else. Never rejects. */
  discover(): Promise<readonly FoundUpstream[]>
  /** Throws `connection_invalid` for an address it would not send a secret to. */
  connect(wish: ConnectionWish): Promise<ConnectionView>
  /** Ends it, also across restarts, and forgets the secret. */
  disconnect(): Promise<ConnectionView>
}

export interface ConnectionWish {
  readonly address: string
  /** Absent: the one in the vault for this address, else the one that the found upstream's own settings hold. */
  readonly secret?: string
}

export interface ConnectionView {
  readonly state: ConnectionState
  /** When it came into this state (epoch ms). */
  readonly since: number
  /** null = it was not connected, or was disconnected by a person. */
  readonly address: string | null
  /** What the upstream said of itself when it was last connected. */
  readonly version: string | null
  /** What the upstream allows us. */
  readonly scopes: readonly string[]
  readonly lastSyncAt: number | null
  readonly problem: ConnectionProblem | null
}

/** Why it is not connected, and what a person can do. */
export interface ConnectionProblem {
  readonly code: ConnectionProblemCode
  readonly message: string
  readonly remedy: string
}

export const CONNECTION_PROBLEMS = [
  /** Nobody answers there. It goes on trying. */
  'unreachable',
  /** It answers that it is on its way. It goes on trying. */
  'starting',
  /** It wants a secret and has been given none. */
  'secret_missing',
  'secret_wrong',
  /** It wants this device to be approved first. */
  'approval_needed',
  /** Connected in name: without these scopes nothing works. */
  'scopes_missing',
  'version_unsupported',
  /** Something else; the message has its words. */
  'refused',
] as const

export type ConnectionProblemCode = (typeof CONNECTION_PROBLEMS)[number]

/** An upstream on this machine. */
export interface FoundUpstream {
  readonly address: string
  /** Where it was found, such as the path of its settings. */
  readonly foundIn: string
  readonly isRunning: boolean
  /** False: a person has to give the secret. */
  readonly secretKnown: boolean
}
