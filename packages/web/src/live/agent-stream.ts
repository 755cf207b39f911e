import type { AgentStreamSignal } from '@clawboo/api'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { useEffect, useMemo } from 'react'
import { signedOut } from '../api/session.ts'
import { createValueStore, useValue } from '../ui/state/value-store.ts'
import { eventFeed } from './event-feed.ts'
import { EMPTY_FOLD, foldRun, type RunFold } from './fold-run.ts'
import { createPerFrame } from './per-frame.ts'
import { restWhileHidden } from './rest-while-hidden.ts'

export interface AgentStreamState {
  readonly connected: boolean
  /** Runs that were followed from their start, by id. */
  readonly runs: ReadonlyMap<string, RunFold>
}

const READY: AgentStreamSignal = 'stream-ready'
const EVENT: AgentStreamSignal = 'run-event'
const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 3_000
/** For a stream that never opened: the server is unlikely to accept it soon. */
const LONGEST_REFUSED_WAIT_MS = 60_000
/** The next run often starts right away. */
const LINGER_MS = 2_000
/** The number of ended runs with cached blocks, so that they are not fetched again. */
const KEPT_RUNS = 20

/** A connection to one Boo's stream. After each reconnect, the replay rebuilds the active run. */
export class AgentStream {
  readonly state = createValueStore<AgentStreamState>({ connected: false, runs: new Map() })
  readonly #url: string
  #source: EventSource | null = null
  #waiting: RuntimeEvent[] = []
  #anew = false
  readonly #publish = createPerFrame(() => this.#flush())
  #opened = false
  #wait = FIRST_WAIT_MS
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(agentId: string) {
    this.#url = `/api/agents/${encodeURIComponent(agentId)}/stream`
  }

  start(): void {
    if (this.#source) return
    clearTimeout(this.#retry)
    const source = new EventSource(this.#url)
    this.#source = source
    source.addEventListener(READY, () => {
      this.#opened = true
      this.#wait = FIRST_WAIT_MS
      this.#waiting = []
      this.#anew = true
      this.#publish.want()
    })
    source.addEventListener(EVENT, (message) => {
      this.#waiting.push(JSON.parse(message.data) as RuntimeEvent)
      this.#publish.want()
    })
    source.onerror = () => this.#lose()
  }

  stop(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = null
    this.#flush()
    this.state.set({ ...this.state.get(), connected: false })
  }

  /** Retries now instead of at the end of the wait. */
  hurry(): void {
    if (!this.#source && this.#opened) this.start()
  }

  #lose(): void {
    this.stop()
    this.#retry = setTimeout(() => this.start(), this.#wait * (0.75 + Math.random() / 2))
    this.#wait = Math.min(this.#wait * 2, this.#opened ? LONGEST_WAIT_MS : LONGEST_REFUSED_WAIT_MS)
  }

  #flush(): void {
    if (this.#waiting.length === 0 && !this.#anew) return
    const before = this.state.get().runs
    const runs = new Map(this.#anew ? [...before].filter(([, fold]) => fold.end !== null) : before)
    for (const [runId, events] of Map.groupBy(this.#waiting, (event) => event.runId)) {
      runs.set(runId, foldRun(events, runs.get(runId) ?? EMPTY_FOLD))
    }
    for (const runId of [...runs.keys()].slice(0, -KEPT_RUNS)) runs.delete(runId)
    this.#waiting = []
    this.#anew = false
    this.state.set({ connected: this.#source !== null, runs })
  }
}

/**
 * Follows a Boo while `wanted`, that is, while it works. An idle stream would occupy one of the six connections that a
 * browser opens to one server, and the replay includes everything from before the stream opened.
 */
export function useAgentStream(agentId: string, wanted: boolean): AgentStreamState {
  const stream = useMemo(() => new AgentStream(agentId), [agentId])
  useEffect(() => () => stream.stop(), [stream])
  useEffect(() => {
    if (!wanted) {
      const timer = setTimeout(() => stream.stop(), LINGER_MS)
      return () => clearTimeout(timer)
    }
    const mayRun = () => !signedOut.get()
    const leaveTab = restWhileHidden(stream, mayRun)
    const leaveSession = signedOut.subscribe(() => (mayRun() ? stream.start() : stream.stop()))
    const leaveFeed = eventFeed.subscribe((message) => {
      if (message.type === 'ready' || message.type === 'reset') stream.hurry()
    })
    if (mayRun() && document.visibilityState === 'visible') stream.start()
    return () => {
      for (const leave of [leaveTab, leaveSession, leaveFeed]) leave()
    }
  }, [stream, wanted])
  return useValue(stream.state)
}
