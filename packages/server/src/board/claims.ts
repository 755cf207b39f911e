import { ClawbooError } from '@clawboo/core'
import { type BoardTask, judgeReadiness, LEASE_MS, quoteTitle, type TaskAssignee } from '@clawboo/core/board'
import type { ExecutionPatch, StoredExecution } from '../store/repositories/board/executions-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import type { BoardActor } from './board-actor.ts'
import { type BoardDependencies, changeBoard, taskNotFound } from './board-change.ts'
import { applyReport } from './reports.ts'

export interface WantedClaim {
  readonly taskId: string
  /** The assignee when the claim was planned; the claim fails when the assignee has changed. */
  readonly expects: TaskAssignee | null
  /** The agent that works on the task. */
  readonly by: TaskAssignee
  readonly runtime: string | null
  /** The actor with the credential; the host when absent. */
  readonly actor?: BoardActor
}

export type ClaimOutcome =
  | { readonly claimed: true; readonly task: BoardTask; readonly execution: StoredExecution }
  /** Another claim was first, or the task has changed. Do not try again. */
  | { readonly claimed: false; readonly code: 'task_conflict'; readonly reason: string }

/** Claims on tasks. A claim lasts as long as its lease is renewed. */
export interface Claims {
  /** Throws `task_not_found`. Losing a claim is not an error. */
  claim(wanted: WantedClaim): Promise<ClaimOutcome>
  /** Returns false when the attempt no longer belongs to this server; the caller must stop its work. */
  renew(execution: { readonly id: string; readonly attempt: number }): Promise<boolean>
  /** Stores details of an attempt that become known after it has begun. */
  note(executionId: string, patch: ExecutionPatch): Promise<StoredExecution | null>
  /** Frees every task with an expired lease, of any server. Resolves to the lost attempts. */
  expire(): Promise<StoredExecution[]>
}

export interface ClaimsDependencies extends BoardDependencies {
  /** The id of this server. */
  readonly instance: string
  readonly leaseMs?: number
}

const HOST = { kind: 'host' } as const
const PAGE = 100

export function createClaims(board: ClaimsDependencies): Claims {
  const { store, instance, leaseMs = LEASE_MS } = board
  const now = () => (board.now ?? Date.now)()
  return {
    async claim(wanted) {
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
        const task = await tx.tasks.claim({ taskId, executionId: id, expects: wanted.expects, by, at })
        if (!task) return { result: null, tasks: [], line: '' }
        const { attempts: attempt } = task
        const execution = await tx.executions.insert({
          id,
          taskId,
          attempt,
          agentId: by.id,
          runtime,
          owner: instance,
          leaseMs,
          startedAt: at,
        })
        const line = `${quoteTitle(task.title)} is in progress`
        return { result: { claimed: true, task, execution }, tasks: [task], line, detail: { executionId: id, attempt } }
      })
      return won ?? { claimed: false, code: 'task_conflict', reason: await whyLost(board, taskId) }
    },
    renew: ({ id, attempt }) => store.executions.renew({ id, attempt, owner: instance, leaseMs }),
    note: (executionId, patch) => store.executions.update(executionId, patch),
    async expire() {
      const lost: StoredExecution[] = []
      for (;;) {
        const ids = await store.executions.runOut(PAGE)
        for (const id of ids) {
          const execution = await expireOne(board, id, now())
          if (execution) lost.push(execution)
        }
        if (ids.length < PAGE) return lost
      }
    },
  }
}

/**
 * Returns null when the attempt was renewed or ended meanwhile, or has a report: then the report counts and nothing is
 * lost.
 */
async function expireOne(board: BoardDependencies, executionId: string, at: number): Promise<StoredExecution | null> {
  const known = await board.store.executions.get(executionId)
  const held = known && (await board.store.tasks.get(known.taskId))
  if (!held) return null
  const about = { action: 'task.expire', teamId: held.teamId, taskId: held.id, by: HOST }
  return changeBoard(board, about, async (tx) => {
    const [before] = await tx.tasks.lock([held.id])
    const report = await tx.taskReports.get(executionId)
    if (report?.appliedAt === null) return { ...(await applyReport(tx, executionId, at)), result: null }
    const execution = await tx.executions.lose(executionId, at)
    if (!execution) return { result: null, tasks: [], line: '' }
    const task = (await tx.tasks.free(held.id, executionId, at)) ?? before!
    const line = `Work on ${quoteTitle(task.title)} stopped responding`
    return { result: execution, tasks: [task], line, detail: { executionId, attempt: execution.attempt } }
  })
}

async function whyLost({ store }: BoardDependencies, taskId: string): Promise<string> {
  const task = await store.tasks.get(taskId)
  if (!task) throw new ClawbooError('task_not_found', `there is no task "${taskId}"`, { details: { taskId } })
  const readiness = judgeReadiness(task, (await store.taskLinks.blockersOf([taskId])).get(taskId)!)
  return readiness.ready ? 'is assigned to someone else, or has a report that is not yet processed' : readiness.reason
}
