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
 * One connection beside the pool for all channels, opened when somebody listens and opened anew whenever it is lost.
 * The driver's own `listen` stops silently when the server ended the connection with an error.
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
  /** Resolved when there is a channel to add or a reason to stop. */
  news: PromiseWithResolvers<void>
}

/** Resolves to whether it ever got to listen. */
async function listenUntilLost(url: string, settings: ConnectionSettings, wanted: Wanted): Promise<boolean> {
  const listened = new Set<string>()
  let lost = false
  const onclose = () => {
    lost = true
    wanted.news.resolve()
  }
  // The driver takes `onnotify`; its types leave it out.
  const client = postgres(url, { ...clientOptions(settings), ...{ onnotify: wanted.listeners.wake }, onclose })
  try {
    while (!lost && !wanted.closing.signal.aborted) {
      for (const channel of wanted.channels) {
        if (listened.has(channel)) continue
        await client.unsafe(`LISTEN "${channel.replaceAll('"', '""')}"`)
        listened.add(channel)
        // What was sent while nobody listened is gone, so whoever wants it has to look.
        wanted.listeners.wake(channel)
      }
      await wanted.news.promise
      wanted.news = Promise.withResolvers()
    }
  } catch {
    // The server is away; the caller comes back to it.
  } finally {
    await client.end({ timeout: 0 })
  }
  return listened.size > 0
}
