/** Long enough to switch there and back. */
const REST_AFTER_MS = 5_000

/**
 * A browser opens only six connections to one server, and every tab's feed holds one of them: without this a seventh
 * tab would hang. A hidden tab gives its own back and goes on behind its last event when it is shown.
 */
export function restWhileHidden(feed: Connection, mayRun: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const onChange = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(() => feed.stop(), REST_AFTER_MS)
    else if (mayRun()) feed.start()
  }
  document.addEventListener('visibilitychange', onChange)
  // A tab opened in the background is hidden from its start.
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
