import type { ServerResponse } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import type { RunEntry, RuntimeEvent } from '@clawboo/core/executor'
import { DeltaMerger } from './merge-deltas.ts'

/** What agents say while they say it, for whoever reads along. Nothing of it is kept here once a run has ended. */
export interface RunStreams {
  /** A run begins; every event of it goes through what is returned. */
  open(agentId: string, runId: string): RunStream
  /** Takes over the response: first the run so far, if there is one, then each event as it comes. */
  follow(response: ServerResponse, agentId: string): void
  /** The events so far of a run that is under way here. */
  entriesOf(runId: string): readonly RunEntry[] | null
  cutAll(): void
  close(): void
}

export interface RunStream {
  /** Gives the entries that this event completes: what is to be kept of the run. */
  push(event: RuntimeEvent): readonly RunEntry[]
  end(): void
}

const MAX_READERS = 256
/** A reader that is this far behind is cut: when it comes back it gets the run so far in one piece. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024
const HEARTBEAT_MS = 25_000
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

interface ActiveRun {
  readonly runId: string
  readonly agentId: string
  readonly entries: RunEntry[]
  readonly merger: DeltaMerger
}

export function createRunStreams(): RunStreams {
  const runs = new Map<string, ActiveRun>()
  const activeOf = new Map<string, ActiveRun>()
  const readers = new Map<string, Set<ServerResponse>>()
  let readerCount = 0

  const heartbeat = setInterval(() => {
    for (const responses of readers.values()) for (const response of responses) response.write(': still here\n\n')
  }, HEARTBEAT_MS).unref()

  const send = (agentId: string, frame: string) => {
    for (const response of readers.get(agentId) ?? []) {
      response.write(frame)
      if (response.writableLength > MAX_BEHIND_BYTES) response.destroy()
    }
  }
  const soFar = (run: ActiveRun): readonly RunEntry[] => {
    const open = run.merger.open
    return open ? [...run.entries, open] : run.entries
  }
  const leave = (agentId: string, response: ServerResponse) => {
    const responses = readers.get(agentId)
    if (!responses?.delete(response)) return
    readerCount -= 1
    if (responses.size === 0) readers.delete(agentId)
  }
  const endAll = (how: (response: ServerResponse) => void) => {
    for (const [agentId, responses] of [...readers]) {
      for (const response of [...responses]) {
        how(response)
        leave(agentId, response)
      }
    }
  }

  return {
    open(agentId, runId) {
      const run: ActiveRun = { runId, agentId, entries: [], merger: new DeltaMerger() }
      runs.set(runId, run)
      activeOf.set(agentId, run)
      return {
        push(event) {
          const complete = run.merger.add(event)
          run.entries.push(...complete)
          if (readers.has(agentId)) send(agentId, eventFrame(event))
          return complete
        },
        end() {
          runs.delete(runId)
          if (activeOf.get(agentId) === run) activeOf.delete(agentId)
        },
      }
    },
    follow(response, agentId) {
      if (readerCount >= MAX_READERS) {
        throw new ClawbooError(
          'reader_limit_reached',
          `${MAX_READERS} streams are open already; close one and try again`,
        )
      }
      const responses = readers.get(agentId) ?? new Set()
      readers.set(agentId, responses.add(response))
      readerCount += 1
      response.once('close', () => leave(agentId, response))
      response.writeHead(200, HEADERS)
      const run = activeOf.get(agentId)
      const frames = [`event: stream-ready\ndata: ${JSON.stringify({ activeRunId: run?.runId ?? null })}\n\n`]
      for (const entry of run ? soFar(run) : []) frames.push(eventFrame(entry))
      response.write(frames.join(''))
    },
    entriesOf(runId) {
      const run = runs.get(runId)
      return run ? soFar(run) : null
    },
    cutAll: () => endAll((response) => response.destroy()),
    close() {
      clearInterval(heartbeat)
      endAll((response) => response.end())
    },
  }
}

function eventFrame(event: RuntimeEvent): string {
  return `event: run-event\ndata: ${JSON.stringify(event)}\n\n`
}
