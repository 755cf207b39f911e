import {
  countFruitless,
  type DispatchAgent,
  type DispatchCandidate,
  type DispatchPlan,
  judgeReadiness,
  plainWords,
  type Readiness,
  type TaskAssignee,
  type TaskCard,
  type WaitCode,
} from '@clawboo/core/board'
import type { LazyRuntime, RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import type { ToDoFilter } from '../../store/repositories/board/tasks-repository.ts'

interface Candidates {
  readonly candidates: readonly DispatchCandidate[]
  /** The tasks that cannot be planned, with reasons. */
  readonly waits: DispatchPlan['waits']
  /** The candidates that an agent can run, by task id. */
  readonly runnable: ReadonlyMap<string, RunnableTask>
}

export interface RunnableTask {
  readonly card: TaskCard
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
}

/** A reason that is shown after the task's name. */
export type WaitReason = readonly [code: WaitCode, reason: string]

/** More tasks than any server starts in a day; further tasks wait until these have started. */
const MOST_TASKS = 2_000

/** The tasks in To do, with their assignees. `waitReason` can keep a ready task of an agent from being planned. */
export async function readCandidates(
  { store, runtimes }: { readonly store: Store; readonly runtimes: RuntimeRegistry },
  waitReason: (card: TaskCard) => WaitReason | null,
  filter: Omit<ToDoFilter, 'limit'>,
): Promise<Candidates> {
  const waiting = await readWaitingTasks(store, { ...filter, limit: MOST_TASKS })
  const agents = new Map<string, AgentRecord | null>()
  const agentOf = async ({ id }: TaskAssignee) => {
    if (!agents.has(id)) agents.set(id, await store.agents.get(id))
    return agents.get(id) ?? null
  }
  const candidates: DispatchCandidate[] = []
  const waits: DispatchPlan['waits'][number][] = []
  const runnable = new Map<string, RunnableTask>()
  for (const { task, readiness, fruitlessAttempts } of waiting) {
    const { assignee } = task
    const agent = assignee && (await agentOf(assignee))
    const base = { task, readiness, fruitlessAttempts }
    const wait =
      assignee && (unableReason(assignee, agent, runtimes) ?? (assignee.kind === 'agent' ? waitReason(task) : null))
    if (wait && readiness.ready) waits.push({ taskId: task.id, code: wait[0], reason: wait[1] })
    else if (!assignee) candidates.push({ ...base, assignee: null })
    else if (assignee.kind === 'person' || !agent)
      candidates.push({ ...base, assignee: { kind: 'person', name: agent?.displayName ?? assignee.id } })
    else {
      const runtime = runtimes.find(agent.runtime)
      candidates.push({ ...base, assignee: dispatchAgent(agent, runtime) })
      if (runtime) runnable.set(task.id, { card: task, agent, runtime })
    }
  }
  return { candidates, waits, runnable }
}

const REASSIGN = 'assign it to someone else'

/** Returns the reason that an assignee cannot do any task; null = no reason. The operator can always do tasks. */
function unableReason(
  { kind, id }: TaskAssignee,
  agent: AgentRecord | null,
  runtimes: RuntimeRegistry,
): WaitReason | null {
  if (kind === 'person' && id === 'operator') return null
  const assignee = kind === 'person' ? 'a person who' : 'an agent that'
  if (!agent) return ['waits_for_person', `is assigned to ${assignee} was deleted; ${REASSIGN}`]
  const name = plainWords(agent.displayName)
  if (agent.archivedAt !== null)
    return [
      'waits_for_person',
      `is assigned to ${name}, ${kind === 'person' ? 'who' : 'which'} is archived; ${REASSIGN}`,
    ]
  if (kind === 'person' || runtimes.find(agent.runtime)) return null
  return ['waits_for_person', `is assigned to ${name}, which has no runtime here; ${REASSIGN}`]
}

function dispatchAgent(agent: AgentRecord, runtime: LazyRuntime | null): DispatchAgent {
  const dispatchable = runtime?.plan.dispatchable ?? true
  return { kind: 'agent', id: agent.id, name: agent.displayName, runtime: agent.runtime, dispatchable }
}

/** A task in To do with everything the queue needs except its assignee's state. */
interface WaitingTask {
  readonly task: TaskCard
  readonly readiness: Readiness
  /** Counted by `countFruitless`. */
  readonly fruitlessAttempts: number
}

/** Reads the tasks in To do: highest priority first, then oldest. */
export function readWaitingTasks(store: Store, options: ToDoFilter): Promise<WaitingTask[]> {
  return store.snapshot(async (tx) => {
    const tasks = await tx.tasks.toDo(options)
    const held = tasks.filter(({ openBlockers }) => openBlockers > 0).map(({ id }) => id)
    const blockers = await tx.taskLinks.blockersOf(held)
    const tried = tasks.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
    const attempts = await tx.attempts.ofTasks(tried)
    const released = attempts.filter(({ state }) => state === 'released').map(({ id }) => id)
    const interrupted = new Set(await tx.taskReports.interruptedAmong(released))
    const isInterrupted = ({ id, state, lostAt }: StoredAttempt) =>
      interrupted.has(id) || (state === 'lost' && lostAt === null)
    const byTask = Map.groupBy(
      attempts.map((attempt) => ({ ...attempt, isInterrupted: isInterrupted(attempt) })),
      ({ taskId }) => taskId,
    )
    return tasks.map((task) => ({
      task,
      readiness: judgeReadiness(task, blockers.get(task.id) ?? []),
      fruitlessAttempts: countFruitless(byTask.get(task.id) ?? [], task.attendedAt),
    }))
  })
}
