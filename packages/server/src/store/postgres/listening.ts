import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { createListeners } from '../listeners.ts'
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
  const listeners = createListeners()
  const channels = new Set<string>()
  const closing = new AbortController()
  let news = Promise.withResolvers<void>()
  let loop: Promise<void> | undefined

  const listenUntilLost = async (onProgress: () => void) => {
    let lost = false
    const onclose = () => {
      lost = true
      news.resolve()
    }
    // The driver takes `onnotify`; its types leave it out.
    const client = postgres(url, { ...clientOptions(settings), ...{ onnotify: listeners.wake }, onclose })
    const listened = new Set<string>()
    try {
      while (!lost && !closing.signal.aborted) {
        for (const channel of channels) {
          if (listened.has(channel)) continue
          await client.unsafe(`LISTEN "${channel.replaceAll('"', '""')}"`)
          listened.add(channel)
          onProgress()
          // What was sent while nobody listened is gone, so whoever wants it has to look.
          listeners.wake(channel)
        }
        await news.promise
        news = Promise.withResolvers()
      }
    } catch {
      // The server is away; the loop comes back to it.
    } finally {
      await client.end({ timeout: 0 })
    }
  }

  const keepListening = async () => {
    let pauseMs = SHORTEST_PAUSE_MS
    while (!closing.signal.aborted) {
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      await listenUntilLost(() => {
        pauseMs = SHORTEST_PAUSE_MS
      })
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  return {
    listen(channel, wake) {
      const leave = listeners.add(channel, wake)
      channels.add(channel)
      news.resolve()
      loop ??= keepListening()
      return leave
    },
    async close() {
      closing.abort()
      news.resolve()
      await loop
    },
  }
}
