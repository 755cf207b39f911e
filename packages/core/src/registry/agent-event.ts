import type { AgentRecord, AgentRecordStatus } from './agent-record.ts'
import type { RuntimeId } from './runtime-id.ts'
import type { ConnectionState } from './upstream/health.ts'
import type { SyncResult } from './upstream/sync-result.ts'

/** The events of a source. */
export type AgentEvent =
  | { readonly type: 'agent-upserted'; readonly sourceId: RuntimeId; readonly agent: AgentRecord }
  | {
      readonly type: 'agent-status'
      readonly sourceId: RuntimeId
      readonly agentId: string
      readonly status: AgentRecordStatus
      readonly statusAt: number
    }
  | { readonly type: 'agent-archived'; readonly sourceId: RuntimeId; readonly agentId: string }
  | { readonly type: 'sync-complete'; readonly sourceId: RuntimeId; readonly result: SyncResult }
  | { readonly type: 'connection'; readonly sourceId: RuntimeId; readonly state: ConnectionState }
