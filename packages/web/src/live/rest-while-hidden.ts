/** A person can switch tabs and return within this time. */
const REST_AFTER_MS = 5_000

/**
 * A browser opens only six connections to one server, and the feed of every tab uses one: a seventh tab would hang. A
 * hidden tab therefore closes its feed, and resumes after its last event when it is shown.
 */
export function restWhileHidden(feed: Connection, mayRun: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const onChange = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(() => feed.stop(), REST_AFTER_MS)
    else if (mayRun()) feed.start()
  }
  document.addEventListener('visibilitychange', onChange)
  // A tab opened in the background is hidden from the start.
  if (document.visibilityState === 'hidden') onChange()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}

interface Connection {
  start(): void
  stop(): void
}
