import { useSyncExternalStore } from 'react'

/** The current time, updated every `everyMs`, so that displayed ages stay correct. */
export function useNow(everyMs: 1_000 | 30_000 = 30_000): number {
  const ticker = everyMs === 1_000 ? seconds : halfMinutes
  return useSyncExternalStore(ticker.subscribe, ticker.read)
}

const seconds = createTicker(1_000)
const halfMinutes = createTicker(30_000)

function createTicker(everyMs: number) {
  const listeners = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    read: () => now,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) {
        now = Date.now()
        timer = setInterval(tick, everyMs)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}
