import type { BoardTask } from '@clawboo/core/board'
import type { AttentionItem, MessageRecord, RunRecord } from '@clawboo/core/executor'
import type { AgentFileName, AgentRecord, AgentRecordStatus, SyncResult, TeamRecord } from '@clawboo/core/registry'
import type { TeamChatPost } from '@clawboo/core/team-chat'
import type { ExchangeView } from './exchange-view.ts'

export type { ExchangeView }

/**
 * The events of the feed. Each has an increasing id; a reader that lost its connection sends the last id as
 * `Last-Event-ID` and continues after it.
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
  /** Long text is cut to `MESSAGE_EVENT_CHARACTERS`; the conversation contains the whole text. */
  | { readonly type: 'message-changed'; readonly message: MessageRecord }
  | { readonly type: 'attention-changed'; readonly item: AttentionItem }
  | { readonly type: 'limits-changed' }
  | { readonly type: 'providers-changed' }
  | { readonly type: 'conversation-changed'; readonly agentId: string; readonly sessionKey: string }
  /** Also sent for its links, comments and evidence. A long body is cut to `TASK_EVENT_CHARACTERS`. */
  | { readonly type: 'task-changed'; readonly task: BoardTask }
  /**
   * A long body is cut to `POST_EVENT_CHARACTERS`; the room contains all of it. `credential` is the source of the
   * author.
   */
  | { readonly type: 'team-chat-posted'; readonly post: TeamChatPost & { readonly credential: string } }
  /** Sent when it is queued, starts, takes another turn, is joined by a message or signal, or ends. */
  | { readonly type: 'exchange-changed'; readonly exchange: ExchangeView }
  /** A turn starts: from now on the run belongs to the speaker. */
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
  /** An exchange ended while an agent still owed a turn. */
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

/** The log contains every change of a message, so long text must not be repeated each time. */
export const MESSAGE_EVENT_CHARACTERS = 2000
export const TASK_EVENT_CHARACTERS = 2000
export const POST_EVENT_CHARACTERS = 2000

export type LiveEventType = LiveEvent['type']

/** Sent by the feed itself and not stored. */
export type FeedSignal =
  /** The first frame: no later event is missed. */
  | 'feed-ready'
  /** The events after the reader's last id are deleted: read everything again. */
  | 'feed-reset'

/**
 * Sent on an agent's own stream: first `stream-ready` with the active run, then one `run-event` for each earlier and
 * later event of it.
 */
export type AgentStreamSignal = 'stream-ready' | 'run-event'
