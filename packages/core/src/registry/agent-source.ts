import type { AgentFileName } from './agent-file.ts'
import type { AgentRecord, AgentRecordStatus, CreateAgentInput, UpdateAgentInput } from './agent-record.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { SessionRecord } from './session-record.ts'
import type { TeamRecord } from './team-record.ts'
import type { ConnectionState, HealthResult } from './upstream/health.ts'
import type { SyncResult } from './upstream/sync-result.ts'

/**
 * The source of agents: one upstream, synced into the registry of record.
 *
 * Contract. Reads come from the registry and never fail because the upstream is down; `listSessions` is the one
 * exception, because sessions are stored upstream. Writes go to the upstream first, then to the registry; without an
 * upstream they throw `upstream_disconnected` and change nothing. A source sees only its own agents: another source's id
 * is an unknown id. It never runs an agent.
 */
export interface AgentSource {
  readonly id: RuntimeId

  listAgents(options?: ListAgentsOptions): Promise<AgentRecord[]>
  /** Returns null for an unknown id and for another source's agent. */
  getAgent(id: string): Promise<AgentRecord | null>
  listTeams(options?: { includeArchived?: boolean }): Promise<TeamRecord[]>
  /** Throws `upstream_disconnected` when the sessions are stored in an upstream that is down. */
  listSessions(agentId: string): Promise<SessionRecord[]>

  createAgent(input: CreateAgentInput): Promise<AgentRecord>
  updateAgent(id: string, patch: UpdateAgentInput): Promise<AgentRecord>
  /**
   * Deletes the agent upstream, then here with everything that belongs to it. Only a person deletes; a sync archives.
   */
  deleteAgent(id: string): Promise<void>

  /** A file that was never written reads as the empty string. New content is stored as a revision. */
  readFile(agentId: string, name: AgentFileName): Promise<string>
  /**
   * Reads each file once and stores changes as revisions; skips unreadable files. Absent where nothing else changes the
   * files.
   */
  lookAtFiles?(agentId: string): Promise<void>
  /**
   * Throws `file_unsupported` for a name without a file upstream. With `baseRevision`, throws `file_revision_stale` and
   * changes nothing unless that revision is the newest.
   */
  writeFile(
    agentId: string,
    name: AgentFileName,
    content: string,
    options?: { readonly baseRevision?: number },
  ): Promise<void>

  /** Resolves even when the upstream cannot be reached; the source keeps trying and reports it in `health`. */
  start(): Promise<void>
  /** Ends every open `events()` iteration. */
  stop(): Promise<void>
  /** Responds at once from the source's own state: never rejects and never calls the upstream. */
  health(): Promise<HealthResult>
  /**
   * Syncs the upstream into the registry in one transaction. Changes upstream-owned columns only; repeating it changes
   * nothing.
   */
  sync(): Promise<SyncResult>
  /**
   * Deletes the agents that were archived because they vanished upstream, after checking that they are still gone.
   * Absent where nothing can vanish.
   */
  removeGhosts?(): Promise<{ readonly removed: readonly string[] }>
  /** Subscribes at the call. Leaving the loop ends one subscription; `stop` ends all of them. */
  events(): AsyncIterable<AgentEvent>
}

export interface ListAgentsOptions {
  readonly includeArchived?: boolean
  readonly teamId?: string
}

/**
 * A change that only a source can detect and that is not in the registry yet. The host records each event, and pages
 * receive the recorded one. Changes of agents are not included: `SourceRecords` records them together with the rows.
 */
export type AgentEvent =
  | { readonly type: 'connection'; readonly sourceId: RuntimeId; readonly state: ConnectionState }
  /** The agent began or ended work that this server did not start. */
  | {
      readonly type: 'agent-status'
      readonly sourceId: RuntimeId
      readonly agentId: string
      readonly status: Extract<AgentRecordStatus, 'running' | 'idle' | 'error'>
    }
