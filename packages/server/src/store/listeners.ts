export type Listeners = ReturnType<typeof createListeners>

/** The functions to call for each channel. */
export function createListeners() {
  const byChannel = new Map<string, Set<{ readonly wake: () => void }>>()
  const wake = (channel: string) => {
    for (const listener of [...(byChannel.get(channel) ?? [])]) listener.wake()
  }
  return {
    add(channel: string, wakeIt: () => void) {
      // The same function can be added twice and removed once, so each entry is a separate object.
      const listener = { wake: wakeIt }
      const listeners = byChannel.get(channel) ?? new Set()
      byChannel.set(channel, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && byChannel.get(channel) === listeners) byChannel.delete(channel)
      }
    },
    wake,
  }
}
