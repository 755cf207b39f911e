import type { AgentFileName, AgentRecord, AgentRecordStatus, SyncResult, TeamRecord } from '@clawboo/core/registry'

/**
 * What the event feed carries. Each event has an id that only grows; a reader that lost its connection sends the last
 * one it saw as `Last-Event-ID` and goes on behind it.
 */
export type LiveEvent =
  | { readonly type: 'agent-upserted'; readonly agent: AgentRecord }
  | {
      readonly type: 'agent-status'
      readonly agentId: string
      readonly status: AgentRecordStatus
      readonly statusAt: number
    }
  | { readonly type: 'agent-archived'; readonly agentId: string }
  | { readonly type: 'agent-removed'; readonly agentId: string }
  | {
      readonly type: 'agent-file-written'
      readonly agentId: string
      readonly name: AgentFileName
      readonly revision: number
      readonly author: string
    }
  | { readonly type: 'team-upserted'; readonly team: TeamRecord }
  | { readonly type: 'team-removed'; readonly teamId: string }
  | { readonly type: 'sync-complete'; readonly sourceId: string; readonly result: SyncResult }
  | { readonly type: 'source-status'; readonly sourceId: string }

export type LiveEventType = LiveEvent['type']

/** Sent by the feed itself, without being stored. */
export type FeedSignal =
  /** The first frame: from here on nothing is missed. */
  | 'feed-ready'
  /** What lies behind the reader's last id is no longer kept: read everything anew. */
  | 'feed-reset'
