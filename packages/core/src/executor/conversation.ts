import type { MessageMode, MessageRecord } from './message-record.ts'
import type { RunDetail } from './run-record.ts'

/** A person's settings for one conversation; null = the agent's or server's default applies. */
export interface ConversationSettings {
  readonly model: string | null
  readonly queueMode: MessageMode | null
  /** How long the queue waits for more messages before it starts a run. */
  readonly debounceMs: number | null
  /** The maximum number of waiting messages. */
  readonly cap: number | null
  /** Which messages are dropped when the queue is full. */
  readonly drop: 'summarize' | 'old' | 'new' | null
  /** How much of its tool use the agent reports. */
  readonly verbose: 'off' | 'on' | 'full' | null
}

export const NO_CONVERSATION_SETTINGS: ConversationSettings = {
  model: null,
  queueMode: null,
  debounceMs: null,
  cap: null,
  drop: null,
  verbose: null,
}

/** The newest part of a conversation, or the part before a given run. */
export interface ConversationReading {
  readonly sessionKey: string
  readonly activeRunId: string | null
  /** Newest last. */
  readonly runs: readonly RunDetail[]
  /** In order of arrival. */
  readonly queued: readonly MessageRecord[]
  readonly settings: ConversationSettings
  /**
   * The last reset and the run before it; null = never reset. `afterRunId` is null when no run came before the reset.
   */
  readonly begunAnew: { readonly at: number; readonly afterRunId: string | null } | null
  /** Whether older runs exist. */
  readonly hasMore: boolean
}
