import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { createListeners, type Listeners } from '../listeners.ts'
import { type ConnectionSettings, clientOptions } from './client-options.ts'

export interface Listening {
  listen(channel: string, wake: () => void): () => void
  close(): Promise<void>
}

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/**
 * One connection outside the pool for all channels. It opens with the first listener and reopens after every loss.
 * The driver's own `listen` stops silently when the server ends the connection with an error.
 */
export function createListening(url: string, settings: ConnectionSettings): Listening {
  const wanted: Wanted = {
    channels: new Set(),
    listeners: createListeners(),
    news: Promise.withResolvers(),
    closing: new AbortController(),
  }
  let loop: Promise<void> | undefined

  const keepListening = async () => {
    const { signal } = wanted.closing
    for (let pauseMs = SHORTEST_PAUSE_MS; !signal.aborted; ) {
      const heard = await listenUntilLost(url, settings, wanted)
      pauseMs = heard ? SHORTEST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      // `close` aborts the pause.
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  return {
    listen(channel, wake) {
      const leave = wanted.listeners.add(channel, wake)
      wanted.channels.add(channel)
      wanted.news.resolve()
      loop ??= keepListening()
      return leave
    },
    async close() {
      wanted.closing.abort()
      wanted.news.resolve()
      await loop
    },
  }
}

interface Wanted {
  readonly channels: Set<string>
  readonly listeners: Listeners
  readonly closing: AbortController
  /** Resolves when a channel must be added or the listening must stop. */
  news: PromiseWithResolvers<void>
}

/** Listens until the connection is lost. Resolves to true when at least one channel was open. */
async function listenUntilLost(url: string, settings: ConnectionSettings, wanted: Wanted): Promise<boolean> {
  const listened = new Set<string>()
  let lost = false
  const onclose = () => {
    lost = true
    wanted.news.resolve()
  }
  // The driver supports `onnotify`, but its types do not.
  const client = postgres(url, { ...clientOptions(settings), ...{ onnotify: wanted.listeners.wake }, onclose })
  try {
    while (!lost && !wanted.closing.signal.aborted) {
      for (const channel of wanted.channels) {
        if (listened.has(channel)) continue
        await client.unsafe(`LISTEN "${channel.replaceAll('"', '""')}"`)
        listened.add(channel)
        // Wake-ups sent before this moment are lost, so the listeners have to check.
        wanted.listeners.wake(channel)
      }
      await wanted.news.promise
      wanted.news = Promise.withResolvers()
    }
  } catch {
    // The server is unreachable. The caller tries again.
  } finally {
    await client.end({ timeout: 0 })
  }
  return listened.size > 0
}
