import type { AgentSource } from '../agent-source.ts'
import type { ConnectionState } from './health.ts'

/** An upstream in two stages: data before it is loaded, behaviour afterwards. Its agents are readable in both. */
export interface UpstreamDefinition {
  /** The name that a person reads. */
  readonly label: string
  /** Whether a person connects it. Then it has a `connection`. */
  readonly isConnectable: boolean
  /** Whether the upstream stores which tools its agents may use. Then it has a `toolPolicy`. */
  readonly hasToolPolicy: boolean
  /** Whether the server connects to it at start. */
  isWanted(): Promise<boolean>
  /** Called by the host at start if wanted, otherwise at the first write or connect; again only after a failure. */
  load(): Promise<OpenedUpstream>
}

export interface OpenedUpstream {
  readonly agentSource: AgentSource
  readonly connection?: SourceConnection
  readonly toolPolicy?: SourceToolPolicy
}

/**
 * The connection of a source to its upstream, which a person starts and ends.
 *
 * Contract. `read` responds at once from known state and never rejects. `connect` stores the address and the secret and
 * resolves with the first response of the upstream, even a problem: the connection then retries, or waits for a person
 * if a retry would have the same result. Known agents stay readable whatever happens to the connection.
 */
export interface SourceConnection {
  read(): Promise<ConnectionView>
  /** Looks for upstreams on this machine only. Never rejects. */
  discover(): Promise<readonly FoundUpstream[]>
  /** Throws `connection_invalid` for an address that must not receive a secret. */
  connect(request: ConnectionRequest): Promise<ConnectionView>
  /** Disconnects permanently, even after a restart, and deletes the secret. */
  disconnect(): Promise<ConnectionView>
}

export interface ConnectionRequest {
  readonly address: string
  /** Absent: the secret in the vault for this address, else the one in the found upstream's own settings. */
  readonly secret?: string
}

export interface ConnectionView {
  readonly state: ConnectionState
  /** When this state began (epoch ms). */
  readonly since: number
  /** null when never connected, or disconnected by a person. */
  readonly address: string | null
  /** The version that the upstream reported when it was last connected. */
  readonly version: string | null
  /** The permissions that the upstream grants. */
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
  /** Nothing responds there. The source retries. */
  'unreachable',
  /** The upstream reports that it is starting. The source retries. */
  'starting',
  /** The upstream requires a secret and received none. */
  'secret_missing',
  'secret_wrong',
  /** The upstream requires this device to be approved first. */
  'approval_needed',
  /** Connected, but nothing works without these scopes. */
  'scopes_missing',
  'version_unsupported',
  /** Another refusal; the message contains the upstream's text. */
  'refused',
] as const

export type ConnectionProblemCode = (typeof CONNECTION_PROBLEMS)[number]

/** An upstream on this machine. */
export interface FoundUpstream {
  readonly address: string
  /** Where it was found, such as the path of its settings. */
  readonly foundIn: string
  readonly isRunning: boolean
  /** False: a person must enter the secret. */
  readonly secretKnown: boolean
}

/** The tools that the agents of a source may use, as the upstream stores it for all of them. */
export interface ToolPolicy {
  /** null when every tool that is not denied is allowed. */
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
}

/**
 * The upstream's own tool policy, which a person changes.
 *
 * Contract. A change applies to the current policy: if someone else changed it meanwhile, it is read again and never
 * overwritten. Once the call resolves, the change applies to the agents' next runs and survives restarts of the
 * upstream. Throws `upstream_disconnected`.
 */
export interface SourceToolPolicy {
  read(): Promise<ToolPolicy>
  /** Denies some tools and removes others from the denied list. */
  change(change: { readonly deny: readonly string[]; readonly undeny: readonly string[] }): Promise<ToolPolicy>
}
