import type { FeedSignal, LiveEvent } from '@clawboo/api'
import { createValueStore } from '../ui/state/value-store.ts'
import { LIVE_EVENT_TYPES } from './apply-live-events.ts'

/** The connection to the server. `since` is the start of this state. */
export interface FeedState {
  readonly kind: 'connecting' | 'live' | 'lost'
  readonly since: number
}

/** `reset`: earlier data may miss events, so everything is fetched again. `lost`: an attempt failed. */
export type FeedMessage =
  | { readonly type: 'event'; readonly event: LiveEvent }
  | { readonly type: 'reset' | 'ready' | 'lost' }

const READY: FeedSignal = 'feed-ready'
const RESET: FeedSignal = 'feed-reset'
const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 3_000

/** The page's one connection to the event feed. It reconnects by itself and resumes after the last event. */
export class EventFeed {
  readonly state = createValueStore<FeedState>({ kind: 'connecting', since: Date.now() })
  readonly #listeners = new Set<(message: FeedMessage) => void>()
  readonly #url: string
  readonly #firstAnswer = Promise.withResolvers<void>()
  #source: EventSource | null = null
  #lastId = ''
  #wait = FIRST_WAIT_MS
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(url: string) {
    this.#url = url
  }

  start(): void {
    if (this.#source) return
    clearTimeout(this.#timer)
    const resumed = this.#lastId !== ''
    const source = new EventSource(resumed ? `${this.#url}?after=${encodeURIComponent(this.#lastId)}` : this.#url)
    this.#source = source
    const on = (type: string, take: (message: MessageEvent<string>) => void) =>
      source.addEventListener(type, (message) => {
        if (message.lastEventId) this.#lastId = message.lastEventId
        take(message)
      })
    const first = this.state.get().kind === 'connecting'
    // Without an id to resume from, events during the interruption are lost.
    on(READY, () => this.#open(first || resumed ? 'ready' : 'reset'))
    on(RESET, () => this.#open('reset'))
    for (const type of LIVE_EVENT_TYPES) {
      on(type, (message) => this.#send({ type: 'event', event: JSON.parse(message.data) as LiveEvent }))
    }
    source.onerror = () => this.#lose()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
  }

  /** Retries now instead of at the end of the wait. */
  hurry(): void {
    if (this.state.get().kind !== 'lost' || this.#source) return
    this.#wait = FIRST_WAIT_MS
    this.start()
  }

  subscribe(listener: (message: FeedMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Fetches, then applies the events that arrived since the request started. */
  async catchUp<T>(read: () => Promise<T>, apply: (value: T, events: readonly LiveEvent[]) => T): Promise<T> {
    await this.#firstAnswer.promise
    const events: LiveEvent[] = []
    const leave = this.subscribe((message) => {
      if (message.type === 'event') events.push(message.event)
    })
    try {
      return apply(await read(), events)
    } finally {
      leave()
    }
  }

  #open(type: 'ready' | 'reset'): void {
    this.#wait = FIRST_WAIT_MS
    this.state.set({ kind: 'live', since: Date.now() })
    this.#firstAnswer.resolve()
    this.#send({ type })
  }

  /** Closes on every error: the browser's own retry gives up on some errors and chooses its own delay on others. */
  #lose(): void {
    this.stop()
    if (this.state.get().kind !== 'lost') this.state.set({ kind: 'lost', since: Date.now() })
    this.#firstAnswer.resolve()
    this.#timer = setTimeout(() => this.start(), this.#wait * (0.75 + Math.random() / 2))
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS)
    this.#send({ type: 'lost' })
  }

  #send(message: FeedMessage): void {
    for (const listener of [...this.#listeners]) listener(message)
  }
}

export const eventFeed = new EventFeed('/api/events')
