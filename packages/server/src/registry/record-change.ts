import type { FleetEventType, LiveEvent } from '@clawboo/api'
import { currentActor } from '../access/actor.ts'
import { appendEvents, type EventLog } from '../live/event-log.ts'
import type { Repositories, Store } from '../store/open-store.ts'

/** The result of a change: the value for the caller and the events for all readers. Without events, nothing changed. */
export interface Change<T> {
  readonly result: T
  readonly events: readonly LiveEvent[]
  readonly detail?: unknown
}

/** `action: null` writes no audit entry: for changes whose own rows name the actor, such as those of a run. */
export type ChangeAbout =
  | { readonly action: string; readonly subject: string; readonly lock?: string; readonly actor?: string }
  | { readonly action: null; readonly lock?: string }

/**
 * Makes one change: commits its rows, audit entry and events together, then wakes the readers. `work` may run again
 * after a conflict.
 */
export type RecordChange = <T>(about: ChangeAbout, work: (tx: Repositories) => Promise<Change<T>>) => Promise<T>

/** Counts every change of agents and teams: cached data is valid until the count changes. */
export const FLEET_COUNTER = 'fleet'

export function createRecordChange(store: Store, log: EventLog, now: () => number = Date.now): RecordChange {
  return async (about, work) => {
    const change = await store.transaction(async (tx) => {
      const made = await work(tx)
      if (made.events.length === 0) return made
      const at = now()
      if (about.action !== null) await tx.audit.append({ ...auditOf(about), at, detail: made.detail ?? null })
      if (made.events.some((event) => event.type in CHANGES_FLEET)) await tx.counters.next(FLEET_COUNTER)
      await appendEvents(tx, made.events, at)
      return made
    }, about.lock)
    if (change.events.length > 0) log.wake()
    return change.result
  }
}

function auditOf({ action, subject, actor }: Extract<ChangeAbout, { action: string }>) {
  const who = currentActor()
  return { action, subject, actor: actor ?? who?.name ?? 'server', runId: who?.runId ?? null }
}

/**
 * The events that change the fleet, as marked in the table of events. The type requires all of them; an import of the
 * table itself would load the schemas.
 */
const CHANGES_FLEET: Readonly<Record<FleetEventType, true>> = {
  'agent-upserted': true,
  'agent-status': true,
  'agent-archived': true,
  'agent-removed': true,
  'agent-file-written': true,
  'team-upserted': true,
  'team-removed': true,
  'sync-complete': true,
  'source-status': true,
}
