/** Who wants to be woken, by channel. */
export interface Listeners {
  add(channel: string, wake: () => void): () => void
  wake(channel: string): void
}

export function createListeners(): Listeners {
  const byChannel = new Map<string, Set<{ readonly wake: () => void }>>()
  const wake = (channel: string) => {
    for (const listener of [...(byChannel.get(channel) ?? [])]) listener.wake()
  }
  return {
    add(channel, wakeIt) {
      // The entry, not the function, is the identity: the same function may listen twice and leave once.
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
