export { AGENT_COLUMN_OWNERS, type AgentColumn, agentColumnsOwnedBy } from './agent-columns.ts'
export { AGENT_FILE_MAX_CHARACTERS, AGENT_FILE_NAMES, type AgentFileName, isAgentFileName } from './agent-file.ts'
export { type AgentFileRevision, type AgentFileRevisionInfo, WORKSPACE_AUTHOR } from './agent-file-revision.ts'
export {
  AGENT_STATUSES,
  type AgentRecord,
  type AgentRecordStatus,
  type CreateAgentInput,
  type ParticipantKind,
  type UpdateAgentInput,
} from './agent-record.ts'
export { AgentRegistry } from './agent-registry.ts'
export { agentRole } from './agent-role.ts'
export type { AgentEvent, AgentSource } from './agent-source.ts'
export { conversationKind } from './conversation-kind.ts'
export { EventQueue } from './event-queue.ts'
export { fleetLeaders, resolveTeamLeader } from './leaders/fleet-leaders.ts'
export { readFleet, readSourceStatuses, type SourceStatus } from './read-fleet.ts'
export { readableSlug } from './readable-slug.ts'
export { OWN_SOURCE_ID, type RuntimeId } from './runtime-id.ts'
export type { SessionRecord } from './session-record.ts'
export type { AgentPatch, NewAgent, SourceRecords } from './source-records.ts'
export { staleRevision } from './stale-revision.ts'
export type { TeamRecord } from './team-record.ts'
export type { ConnectionState } from './upstream/health.ts'
export type { RefusedAgent, SyncResult } from './upstream/sync-result.ts'
export type { UpstreamAgent } from './upstream/upstream-agent.ts'
export type {
  OpenedUpstream,
  SourceToolPolicy,
  ToolPolicy,
  UpstreamDefinition,
} from './upstream/upstream-definition.ts'
export {
  CONNECTION_PROBLEMS,
  type ConnectionProblem,
  type ConnectionProblemCode,
  type ConnectionRequest,
  type ConnectionView,
  type FoundUpstream,
  type SourceConnection,
} from './upstream/upstream-definition.ts'
