import type { AgentEvent } from './agent-event.ts'
import type { AgentFileName } from './agent-file.ts'
import type { AgentRecord, CreateAgentInput, UpdateAgentInput } from './agent-record.ts'
import type { HealthResult } from './health.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { SessionRecord } from './session-record.ts'
import type { SyncResult } from './sync-result.ts'
import type { TeamRecord } from './team-record.ts'

/**
 * Where agents come from: one upstream, reconciled into the registry of record.
 *
 * Contract. Reads answer from the registry and never fail because the upstream is down; `listSessions` is the one
 * exception, because sessions live upstream. Writes reach the upstream first, then the registry; without an upstream
 * they throw `upstream_disconnected` and change nothing. A source sees only its own agents: another source's id is an
 * unknown id. It never runs an agent.
 */
export interface AgentSource {
  readonly id: RuntimeId

  listAgents(options?: ListAgentsOptions): Promise<AgentRecord[]>
  /** null for an unknown id and for another source's agent. */
  getAgent(id: string): Promise<AgentRecord | null>
  listTeams(options?: { includeArchived?: boolean }): Promise<TeamRecord[]>
  /** Throws `upstream_disconnected` when sessions live in an upstream that is down. */
  listSessions(agentId: string): Promise<SessionRecord[]>

  createAgent(input: CreateAgentInput): Promise<AgentRecord>
  updateAgent(id: string, patch: UpdateAgentInput): Promise<AgentRecord>
  /** The person's delete: the agent is removed upstream, then here with all that belongs to it. Not the sync's tombstone. */
  archiveAgent(id: string): Promise<void>

  /** A file that was never written reads as the empty string. Content not seen before is kept as a revision. */
  readFile(agentId: string, name: AgentFileName): Promise<string>
  /** Keeps what changed where the files lie, by one look at each of them. Absent where nobody else changes them. A bad one stays out. */
  lookAtFiles?(agentId: string): Promise<void>
  /** Throws `file_unsupported` for a name the upstream has no file for. With a base, a write over any other than the newest revision throws `file_revision_stale` and changes nothing. */
  writeFile(
    agentId: string,
    name: AgentFileName,
    content: string,
    options?: { readonly baseRevision?: number },
  ): Promise<void>

  /** Resolves even when the upstream cannot be reached; the source keeps trying and says so in `health`. */
  start(): Promise<void>
  /** Ends every open `events()` iteration. */
  stop(): Promise<void>
  /** Answers at once from what the source knows: never rejects and never asks the upstream. */
  health(): Promise<HealthResult>
  /** Reconciles upstream into the registry in one transaction. Touches upstream-owned columns only; repeating it changes nothing. */
  sync(): Promise<SyncResult>
  /** Removes for good the agents that were archived because they vanished upstream, after a look that they still have. Absent where nothing can vanish. */
  removeGhosts?(): Promise<{ readonly removed: readonly string[] }>
  /** Subscribes at the call. The consumer ends it by leaving the loop; `stop` ends it for everyone. */
  events(): AsyncIterable<AgentEvent>
}

export interface ListAgentsOptions {
  readonly includeArchived?: boolean
  readonly teamId?: string
}
