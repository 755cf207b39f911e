import type { AgentRecordStatus } from './agent-record.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { ConnectionState } from './upstream/health.ts'

/**
 * Something that only a source can know, and that is not in the registry yet. The host records each event, and pages learn
 * of it from that record. A change of agents is no such event: `SourceRecords` records it together with the rows.
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
