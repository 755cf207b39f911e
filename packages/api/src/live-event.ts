import type { ExchangeView } from './exchange-view.ts'
import type { LiveEvent, LiveEventType } from './live-event-table.ts'

// Types only: the page imports this file and must not load the schemas.
export type { ExchangeView, LiveEvent, LiveEventType }

/** The log stores every change of a message, so it stores only the beginning of a long text. */
export const MESSAGE_EVENT_CHARACTERS = 2000
export const TASK_EVENT_CHARACTERS = 2000
export const POST_EVENT_CHARACTERS = 2000

/** Frames of the feed itself. They are not stored. */
export type FeedSignal =
  /** The first frame. From here on, the reader gets every event. */
  | 'feed-ready'
  /** Events after the reader's last id are no longer stored, so the reader has to read everything again. */
  | 'feed-reset'

/**
 * Frames of an agent's own stream: first `stream-ready` with the active run, then `run-event` for each event of that run,
 * past and future.
 */
export type AgentStreamSignal = 'stream-ready' | 'run-event'
