import type { LiveEvent } from '@clawboo/api/live-event'
import { currentActor } from '../access/actor.ts'
import type { Change, ChangeAbout, RecordChange } from '../registry/record-change.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import { type BoardDependencies, type BoardLine, teamLock } from './board-change.ts'

/**
 * Makes several changes of one team's board atomically. Changes through the board that `work` receives are in the
 * transaction; their lines are passed on after the commit.
 */
export async function changeTogether<T>(
  board: BoardDependencies,
  about: { readonly action: string; readonly subject: string; readonly actor: string; readonly teamId: string },
  work: (tx: Repositories, inner: BoardDependencies) => Promise<Change<T>>,
): Promise<T> {
  const { action, subject, actor, teamId } = about
  let lines: BoardLine[] = []
  const result = await board.record<T>({ action, subject, actor, lock: teamLock(teamId) }, async (tx) => {
    // The transaction may be retried.
    lines = []
    const events: LiveEvent[] = []
    const change = await work(tx, {
      ...board,
      store: within(board.store, tx),
      record: recordWithin(tx, events, board.now ?? Date.now),
      lines: { onLine: board.lines.onLine, tell: (line) => void lines.push(line) },
    })
    return { ...change, events: [...events, ...change.events] }
  })
  for (const line of lines) board.lines.tell(line)
  return result
}

function within(store: Store, tx: Repositories): Store {
  return { ...store, ...tx, transaction: (fn) => fn(tx), snapshot: (fn) => fn(tx) }
}

function recordWithin(tx: Repositories, events: LiveEvent[], now: () => number): RecordChange {
  return async (about, work) => {
    const made = await work(tx)
    if (made.events.length === 0) return made.result
    if (about.action !== null) await tx.audit.append({ ...auditOf(about), at: now(), detail: made.detail ?? null })
    events.push(...made.events)
    return made.result
  }
}

function auditOf({ action, subject, actor }: Extract<ChangeAbout, { action: string }>) {
  const who = currentActor()
  return { action, subject, actor: actor ?? who?.name ?? 'server', runId: who?.runId ?? null }
}
