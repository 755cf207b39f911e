import type { ServerResponse } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import type { RunEntry, RuntimeEvent } from '@clawboo/core/executor'

export type RunStreams = ReturnType<typeof createRunStreams>

export interface RunStream {
  /** Returns the entries that this event completes; they have to be stored. */
  push(event: RuntimeEvent): readonly RunEntry[]
  end(): void
}

interface ActiveRun {
  readonly runId: string
  readonly entries: RunEntry[]
  readonly merger: DeltaMerger
}

/** The live events of active runs, for readers. A run is dropped when it ends. */
export function createRunStreams() {
  const runs = new Map<string, ActiveRun>()
  const activeOf = new Map<string, ActiveRun>()
  const readers = createReaders()
  const entriesSoFar = ({ entries, merger }: ActiveRun): readonly RunEntry[] =>
    merger.open ? [...entries, merger.open] : entries

  return {
    /** Registers an active run. Push every event of the run to the returned stream. */
    open(agentId: string, runId: string): RunStream {
      const run: ActiveRun = { runId, entries: [], merger: new DeltaMerger() }
      runs.set(runId, run)
      activeOf.set(agentId, run)
      return {
        push(event) {
          const complete = run.merger.add(event)
          run.entries.push(...complete)
          if (readers.has(agentId)) readers.send(agentId, eventFrame(event))
          return complete
        },
        end() {
          runs.delete(runId)
          if (activeOf.get(agentId) === run) activeOf.delete(agentId)
        },
      }
    },
    /** Takes over the response: sends the active run so far, if there is one, then each new event. */
    follow(response: ServerResponse, agentId: string) {
      readers.add(agentId, response)
      const run = activeOf.get(agentId)
      const frames = [`event: stream-ready\ndata: ${JSON.stringify({ activeRunId: run?.runId ?? null })}\n\n`]
      for (const entry of run ? entriesSoFar(run) : []) frames.push(eventFrame(entry))
      response.write(frames.join(''))
    },
    /** The entries so far of an active run on this server. */
    entriesOf(runId: string) {
      const run = runs.get(runId)
      return run ? entriesSoFar(run) : null
    },
    cutAll: () => readers.endAll((response) => response.destroy()),
    close: readers.close,
  }
}

const MAX_READERS = 256
/** A reader that is this far behind is disconnected. When it reconnects, it gets the run so far in one message. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024
const HEARTBEAT_MS = 25_000
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** The open responses, by agent. */
function createReaders() {
  const readers = new Map<string, Set<ServerResponse>>()
  let count = 0
  const heartbeat = setInterval(() => {
    for (const responses of readers.values()) for (const response of responses) response.write(': still here\n\n')
  }, HEARTBEAT_MS).unref()
  const leave = (agentId: string, response: ServerResponse) => {
    const responses = readers.get(agentId)
    if (!responses?.delete(response)) return
    count -= 1
    if (responses.size === 0) readers.delete(agentId)
  }
  const endAll = (end: (response: ServerResponse) => void) => {
    for (const [agentId, responses] of [...readers]) {
      for (const response of [...responses]) {
        end(response)
        leave(agentId, response)
      }
    }
  }
  return {
    endAll,
    has: (agentId: string) => readers.has(agentId),
    send(agentId: string, frame: string): void {
      for (const response of readers.get(agentId) ?? []) {
        response.write(frame)
        if (response.writableLength > MAX_BEHIND_BYTES) response.destroy()
      }
    },
    /** Throws `reader_limit_reached`. */
    add(agentId: string, response: ServerResponse): void {
      if (count >= MAX_READERS)
        throw new ClawbooError(
          'reader_limit_reached',
          `${MAX_READERS} streams are already open; close one and try again`,
        )
      readers.set(agentId, (readers.get(agentId) ?? new Set()).add(response))
      count += 1
      response.once('close', () => leave(agentId, response))
      response.writeHead(200, HEADERS)
    },
    close(): void {
      clearInterval(heartbeat)
      endAll((response) => response.end())
    },
  }
}

function eventFrame(event: RuntimeEvent): string {
  return `event: run-event\ndata: ${JSON.stringify(event)}\n\n`
}

/**
 * Turns a run's stream into its stored entries: consecutive deltas of one message become one entry. An entry is returned
 * when it can no longer grow.
 */
export class DeltaMerger {
  #open: (RuntimeEvent & { type: 'text-delta' | 'reasoning-delta' }) | null = null
  /** The texts of the open entry. Joined once: growing a string word by word would copy it each time. */
  #texts: string[] = []

  /** The entries that this event completes. */
  add(event: RuntimeEvent): RunEntry[] {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const open = this.#open
      if (open && open.type === event.type && open.message === event.message && !isBlock(event)) {
        this.#texts.push(event.text)
        return []
      }
      const done = this.flush()
      this.#open = event
      this.#texts = [event.text]
      return done
    }
    return [...this.flush(), event]
  }

  /** The entry that can still grow, in its current state. */
  get open(): RunEntry | null {
    return this.#open && { ...this.#open, text: this.#texts.join('') }
  }

  /** Completes the entry that can still grow. */
  flush(): RunEntry[] {
    const open = this.open
    this.#open = null
    this.#texts = []
    return open ? [open] : []
  }
}

function isBlock(event: RuntimeEvent): boolean {
  return event.type === 'text-delta' && event.block === true
}
