import type { LiveEvent } from '@clawboo/api'
import { currentActor } from '../access/actor.ts'
import { appendEvents, type EventLog } from '../live/event-log.ts'
import type { Repositories, Store } from '../store/open-store.ts'

/** What a change did: the answer for the caller and the events that tell everyone else. No events = nothing changed. */
export interface Change<T> {
  readonly result: T
  readonly events: readonly LiveEvent[]
  readonly detail?: unknown
}

/**
 * Makes one change of the registry: the rows, their audit entry and their events stand or fall together, and readers
 * are woken once it is committed. `work` may run again after a conflict.
 */
export type RecordChange = <T>(
  about: { readonly action: string; readonly subject: string; readonly lock?: string; readonly actor?: string },
  work: (tx: Repositories) => Promise<Change<T>>,
) => Promise<T>

/** Counts every change of agents and teams; what was read at one count is valid until the next. */
export const FLEET_COUNTER = 'fleet'

export function createRecordChange(store: Store, log: EventLog, now: () => number = Date.now): RecordChange {
  return async ({ action, subject, lock, actor }, work) => {
    const who = currentActor()
    const change = await store.transaction(async (tx) => {
      const made = await work(tx)
      if (made.events.length === 0) return made
      const at = now()
      await tx.audit.append({
        at,
        actor: actor ?? who?.name ?? 'server',
        action,
        subject,
        runId: who?.runId ?? null,
        detail: made.detail ?? null,
      })
      await tx.counters.next(FLEET_COUNTER)
      await appendEvents(tx, made.events, at)
      return made
    }, lock)
    if (change.events.length > 0) log.wake()
    return change.result
  }
}
