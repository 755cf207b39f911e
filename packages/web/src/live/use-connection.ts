import { useNow } from '../ui/state/use-now.ts'
import { useValue } from '../ui/state/value-store.ts'
import { shortAge } from '../ui/words/time-words.ts'
import { eventFeed, type FeedState } from './event-feed.ts'

export function useConnection() {
  const state = useValue(eventFeed.state)
  const now = useNow(1_000)
  // The ticker stops while nobody listens, so its time may be before the state's.
  return { ...connectionWords(state, Math.max(now, state.since)), since: state.since }
}

const SOON_MS = 4_000

/** The state of the feed in words; `offline` only after a longer interruption. */
export function connectionWords(state: FeedState, now: number): { readonly word: string; readonly offline: boolean } {
  if (state.kind === 'live') return { word: 'Live', offline: false }
  const lasting = now - state.since
  if (state.kind === 'connecting' && lasting < SOON_MS) return { word: 'Connecting', offline: false }
  if (lasting < SOON_MS) return { word: 'Reconnecting', offline: false }
  return { word: `offline for ${shortAge(lasting)}`, offline: true }
}
