import { useNow } from '../ui/state/use-now.ts'
import { useValue } from '../ui/state/value-store.ts'
import { connectionWords } from './connection-words.ts'
import { eventFeed } from './event-feed.ts'

export function useConnection() {
  const state = useValue(eventFeed.state)
  const now = useNow(1_000)
  // The ticker stops while nobody listens, so its time may be before the state's.
  return { ...connectionWords(state, Math.max(now, state.since)), since: state.since }
}
