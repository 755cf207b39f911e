import { ClawbooError } from '@clawboo/core'
import { type BoardTask, judgeReadiness, LEASE_MS, quoteTitle, type TaskAssignee } from '@clawboo/core/board'
import type { AttemptPatch, StoredAttempt } from '../store/repositories/board/attempts-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import { type BoardActor, type BoardDependencies, changeBoard, taskNotFound } from './board-change.ts'
import { applyReport } from './reports.ts'

interface WantedClaim {
  readonly taskId: string
  /** The assignee when the claim was planned; the claim fails when the assignee has changed. */
  readonly expects: TaskAssignee | null
  /** The agent that works on the task. */
  readonly by: TaskAssignee
  readonly runtime: string | null
  /** The actor with the credential; the host when absent. */
  readonly actor?: BoardActor
}

type ClaimOutcome =
  | { readonly claimed: true; readonly task: BoardTask; readonly attempt: StoredAttempt }
  /** Another claim came first, or the task has changed. Do not try again. */
  | { readonly claimed: false; readonly code: 'task_conflict'; readonly reason: string }

export type Claims = ReturnType<typeof createClaims>

interface ClaimsDependencies extends BoardDependencies {
  /** The id of this server. */
  readonly instance: string
  readonly leaseMs?: number
}

const HOST = { kind: 'host' } as const
const PAGE = 100

/** Claims on tasks. A claim lasts as long as its lease is renewed. */
export function createClaims(board: ClaimsDependencies) {
  const { store, instance, leaseMs = LEASE_MS } = board
  const now = () => (board.now ?? Date.now)()
  return {
    /** Throws `task_not_found`. A lost claim is a result, not an error. */
    async claim(wanted: WantedClaim) {
      const { taskId, by, runtime } = wanted
      const known = await store.tasks.get(taskId)
      if (!known) throw taskNotFound(taskId)
      // No team lock: the claim's own statement decides, so that 64 claimers need not queue.
      const about = {
        action: 'task.claim',
        teamId: known.teamId,
        taskId,
        by: wanted.actor ?? HOST,
        lock: 'none',
      } as const
      const won = await changeBoard<Extract<ClaimOutcome, { claimed: true }> | null>(board, about, async (tx) => {
        const at = now()
        const id = sortableId(at)
        const task = await tx.tasks.claim({ taskId, attemptId: id, expects: wanted.expects, by, at })
        if (!task) return { result: null, tasks: [], line: '' }
        const { attempts: number } = task
        const attempt = await tx.attempts.insert({
          id,
          taskId,
          number,
          agentId: by.id,
          runtime,
          owner: instance,
          leaseMs,
          startedAt: at,
        })
        const line = `${quoteTitle(task.title)} is in progress`
        return {
          result: { claimed: true, task, attempt },
          tasks: [task],
          line,
          detail: { attemptId: id, attempt: number },
        }
      })
      return won ?? { claimed: false, code: 'task_conflict', reason: await whyLost(board, taskId) }
    },
    /** Returns false when the attempt no longer belongs to this server; the caller must stop its work. */
    renew: ({ id, number }: Pick<StoredAttempt, 'id' | 'number'>) =>
      store.attempts.renew({ id, number, owner: instance, leaseMs }),
    /** Stores details of an attempt that become known after its start. */
    note: (attemptId: string, patch: AttemptPatch) => store.attempts.update(attemptId, patch),
    /** Frees every task with an expired lease, of any server. Resolves to the lost attempts. */
    expire: () => expireAll(board, now),
  }
}

async function expireAll(board: BoardDependencies, now: () => number): Promise<StoredAttempt[]> {
  const lost: StoredAttempt[] = []
  for (;;) {
    const ids = await board.store.attempts.runOut(PAGE)
    for (const id of ids) {
      const attempt = await expireOne(board, id, now())
      if (attempt) lost.push(attempt)
    }
    if (ids.length < PAGE) return lost
  }
}

/**
 * Returns null when the attempt was renewed or has ended in the meantime, or when it has a report: the report counts,
 * so the attempt is not lost.
 */
async function expireOne(board: BoardDependencies, attemptId: string, at: number): Promise<StoredAttempt | null> {
  const known = await board.store.attempts.get(attemptId)
  const held = known && (await board.store.tasks.get(known.taskId))
  if (!held) return null
  const about = { action: 'task.expire', teamId: held.teamId, taskId: held.id, by: HOST }
  return changeBoard(board, about, async (tx) => {
    const [before] = await tx.tasks.lock([held.id])
    const report = await tx.taskReports.get(attemptId)
    if (report?.appliedAt === null) return { ...(await applyReport(tx, attemptId, at)), result: null }
    const attempt = await tx.attempts.lose(attemptId, at)
    if (!attempt) return { result: null, tasks: [], line: '' }
    const task = (await tx.tasks.free(held.id, attemptId, at)) ?? before!
    const line = `Work on ${quoteTitle(task.title)} stopped responding`
    return { result: attempt, tasks: [task], line, detail: { attemptId, attempt: attempt.number } }
  })
}

async function whyLost({ store }: BoardDependencies, taskId: string): Promise<string> {
  const task = await store.tasks.get(taskId)
  if (!task) throw new ClawbooError('task_not_found', `there is no task "${taskId}"`, { details: { taskId } })
  const readiness = judgeReadiness(task, (await store.taskLinks.blockersOf([taskId])).get(taskId)!)
  return readiness.ready ? 'is assigned to someone else, or has a report that is not yet processed' : readiness.reason
}
