import type { BoardTask } from '@clawboo/core/board'
import type { AttentionItem, MessageRecord, RunRecord } from '@clawboo/core/executor'
import type { AgentFileName, AgentRecord, AgentRecordStatus, SyncResult, TeamRecord } from '@clawboo/core/registry'
import type { TeamChatPost } from '@clawboo/core/team-chat'
import type { ExchangeView } from './exchange-view.ts'

export type { ExchangeView }

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
  | { readonly type: 'run-started' | 'run-ended'; readonly run: RunRecord }
  /** Its text is cut behind `MESSAGE_EVENT_CHARACTERS`; the conversation has it whole. */
  | { readonly type: 'message-changed'; readonly message: MessageRecord }
  | { readonly type: 'attention-changed'; readonly item: AttentionItem }
  | { readonly type: 'limits-changed' }
  | { readonly type: 'providers-changed' }
  | { readonly type: 'conversation-changed'; readonly agentId: string; readonly sessionKey: string }
  /** Also for what belongs to it: links, comments, evidence. Its body is cut behind `TASK_EVENT_CHARACTERS`. */
  | { readonly type: 'task-changed'; readonly task: BoardTask }
  /** Its body is cut behind `POST_EVENT_CHARACTERS`; the room has it whole. `credential` says what bound the author. */
  | { readonly type: 'team-chat-posted'; readonly post: TeamChatPost & { readonly credential: string } }
  /** It was queued, began, came to another turn, was joined by a message or a signal, or ended. */
  | { readonly type: 'exchange-changed'; readonly exchange: ExchangeView }
  /** A turn begins: from here on the run is the speaker's. */
  | {
      readonly type: 'speaker-selected'
      readonly teamId: string
      readonly exchangeId: string
      readonly agentId: string
      readonly runId: string
      readonly because: 'obligation' | 'leader'
      readonly chainId: string
      readonly turn: number
      readonly bound: number
    }
  /** An exchange ended while somebody still owed a turn. */
  | {
      readonly type: 'turn-bound-hit'
      readonly teamId: string
      readonly exchangeId: string
      readonly turns: number
      readonly bound: number
      readonly pending: readonly string[]
    }
  | {
      readonly type: 'room-settings-changed'
      readonly teamId: string
      readonly turnCap: number | null
      readonly wakesLeader: boolean
    }

/** The log carries every change of a message, so a long one must not be in it each time. */
export const MESSAGE_EVENT_CHARACTERS = 2000
export const TASK_EVENT_CHARACTERS = 2000
export const POST_EVENT_CHARACTERS = 2000

export type LiveEventType = LiveEvent['type']

/** Sent by the feed itself, without being stored. */
export type FeedSignal =
  /** The first frame: from here on nothing is missed. */
  | 'feed-ready'
  /** What lies behind the reader's last id is no longer kept: read everything anew. */
  | 'feed-reset'

/**
 * Sent on an agent's own stream: `stream-ready` first, with the run that is active, then `run-event` for each event of
 * it so far and from then on.
 */
export type AgentStreamSignal = 'stream-ready' | 'run-event'
