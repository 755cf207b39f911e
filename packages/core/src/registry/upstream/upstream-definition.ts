import type { AgentSource } from '../agent-source.ts'
import type { SourceConnection } from './source-connection.ts'
import type { SourceToolPolicy } from './tool-policy.ts'

/** An upstream in two stages: data before it is loaded, behaviour after. The host answers reads of its agents meanwhile. */
export interface UpstreamDefinition {
  /** The name that a person reads. */
  readonly label: string
  /** A person connects it: then it has a `connection`. */
  readonly isConnectable: boolean
  /** The upstream stores which tools its agents may use: then it has a `toolPolicy`. */
  readonly hasToolPolicy: boolean
  /** Whether the server connects to it at start. */
  isWanted(): Promise<boolean>
  /** Called by the host at start when it is wanted, else at the first write or connect; again only if it failed. */
  load(): Promise<OpenedUpstream>
}

export interface OpenedUpstream {
  readonly agentSource: AgentSource
  readonly connection?: SourceConnection
  readonly toolPolicy?: SourceToolPolicy
}
