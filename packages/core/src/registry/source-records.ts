import type { AgentFileName } from './agent-file.ts'
import type { AgentFileRevision } from './agent-file-revision.ts'
import type { AgentRecord, AgentRecordStatus, ParticipantKind } from './agent-record.ts'
import type { ListAgentsOptions } from './agent-source.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { SessionRecord } from './session-record.ts'
import type { TeamRecord } from './team-record.ts'
import type { SyncResult } from './upstream/sync-result.ts'
import type { UpstreamAgent } from './upstream/upstream-agent.ts'

/**
 * The registry of record as one source sees it: only its own rows. Bound to a source when created, so no argument can
 * reach another source's agents. Every write records its event and audit entry in the same transaction; after an error
 * nothing of it remains.
 */
export interface SourceRecords {
  list(options?: ListAgentsOptions): Promise<AgentRecord[]>
  get(id: string): Promise<AgentRecord | null>
  listTeams(options?: { readonly includeArchived?: boolean }): Promise<TeamRecord[]>
  listSessions(agentId: string): Promise<SessionRecord[]>

  /**
   * Throws `agent_config_invalid` for an invalid id, `agent_name_taken` and `team_not_found`. `files` become first
   * revisions in the same transaction.
   */
  insert(agent: NewAgent, files?: Readonly<Partial<Record<AgentFileName, string>>>): Promise<AgentRecord>
  /** Throws `agent_not_found`, `agent_name_taken` and `team_not_found`. */
  update(id: string, patch: AgentPatch): Promise<AgentRecord>
  /** Deletes the row and everything that belongs to it. Throws `agent_not_found`. */
  remove(id: string): Promise<void>
  setStatus(id: string, status: AgentRecordStatus): Promise<void>

  /**
   * Runs in one transaction, writes only differences, and refuses agents that would get an invalid id. `mainKey` is the
   * upstream's name for every agent's main session.
   */
  reconcile(upstream: {
    readonly agents: readonly UpstreamAgent[]
    readonly mainKey: string | null
    readonly newId: (sourceAgentId: string) => string
  }): Promise<SyncResult>
  /** Epoch ms of the last reconcile, including one before a restart; null when never. */
  lastSyncAt(): Promise<number | null>

  latestFile(agentId: string, name: AgentFileName): Promise<AgentFileRevision | null>
  /** Appends a revision after `expectedRevision` (0 for none yet); returns null when another came first. */
  appendFile(file: {
    readonly agentId: string
    readonly name: AgentFileName
    readonly content: string
    readonly expectedRevision: number
    /** The author of the request by default. */
    readonly author?: string
  }): Promise<AgentFileRevision | null>
}

export interface NewAgent {
  readonly id: string
  readonly sourceAgentId: string
  readonly name: string
  readonly emoji: string | null
  readonly avatarSeed: string
  readonly sessionKey: string | null
  readonly teamId: string | null
  readonly personalityConfig: unknown
  readonly execConfig: unknown
  readonly participantKind: ParticipantKind
  readonly runtime: RuntimeId
}

export interface AgentPatch {
  readonly name?: string
  /** A person's own name for an agent whose name belongs to an upstream. */
  readonly nameOverride?: string | null
  readonly emoji?: string | null
  readonly teamId?: string | null
  readonly avatarSeed?: string | null
  readonly personalityConfig?: unknown
  readonly execConfig?: unknown
  readonly runtime?: RuntimeId
}
