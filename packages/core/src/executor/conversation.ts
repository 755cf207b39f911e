import type { MessageMode, MessageRecord } from './message-record.ts'
import type { RunDetail } from './run-record.ts'

/** What a person set for one conversation; null = what the agent or the server says. */
export interface ConversationSettings {
  readonly model: string | null
  readonly queueMode: MessageMode | null
  /** How long the queue waits for more before it starts a run. */
  readonly debounceMs: number | null
  /** How many messages may wait. */
  readonly cap: number | null
  /** What goes when more come. */
  readonly drop: 'summarize' | 'old' | 'new' | null
  /** How much of its tools' work the agent tells. */
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

/** The newest part of a conversation, or a part before a run. */
export interface ConversationReading {
  readonly sessionKey: string
  readonly activeRunId: string | null
  /** Newest last. */
  readonly runs: readonly RunDetail[]
  /** In order of arrival. */
  readonly queued: readonly MessageRecord[]
  readonly settings: ConversationSettings
  /** When it was last begun anew, and behind which run: null = there was none before. null = it never was. */
  readonly begunAnew: { readonly at: number; readonly afterRunId: string | null } | null
  /** Whether older runs exist. */
  readonly hasMore: boolean
}
