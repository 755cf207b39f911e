import { shortAge } from '../ui/words/time-words.ts'
import type { FeedState } from './event-feed.ts'

const SOON_MS = 4_000

/** The state of the feed in words; `offline` only after a longer interruption. */
export function connectionWords(state: FeedState, now: number): { readonly word: string; readonly offline: boolean } {
  if (state.kind === 'live') return { word: 'Live', offline: false }
  const lasting = now - state.since
  if (state.kind === 'connecting' && lasting < SOON_MS) return { word: 'Connecting', offline: false }
  if (lasting < SOON_MS) return { word: 'Reconnecting', offline: false }
  return { word: `offline for ${shortAge(lasting)}`, offline: true }
}
