/** Combines the wake-ups of a short interval into one per channel, so that a burst of commits costs one message. */
export function createCoalescedWakes(delayMs: number, send: (channel: string) => void) {
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const channels = [...waiting]
    waiting.clear()
    for (const channel of channels) send(channel)
  }

  return {
    add(channel: string) {
      waiting.add(channel)
      timer ??= setTimeout(flush, delayMs)
    },
    /** Sends the waiting wake-ups immediately, and schedules no others. */
    close: flush,
  }
}
