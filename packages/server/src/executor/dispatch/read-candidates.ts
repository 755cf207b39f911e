import {
  type DispatchAgent,
  type DispatchCandidate,
  type DispatchPlan,
  plainWords,
  type TaskAssignee,
  type TaskCard,
  type WaitCode,
} from '@clawboo/core/board'
import type { LazyRuntime, RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { readWaitingTasks } from '../../board/dispatch-candidates.ts'
import type { Store } from '../../store/open-store.ts'
import type { ToDoFilter } from '../../store/repositories/board/tasks-repository.ts'

export interface Candidates {
  readonly candidates: readonly DispatchCandidate[]
  /** What cannot even be planned, and why. */
  readonly waits: DispatchPlan['waits']
  /** Those that an agent can be given, with it. */
  readonly runnable: ReadonlyMap<string, RunnableTask>
}

export interface RunnableTask {
  readonly card: TaskCard
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
}

/** Why a task waits that could be planned otherwise. */
export type Held = readonly [WaitCode, string]

/** More than any server starts in a day; the rest waits behind them. */
const MOST_TASKS = 2_000

/** What is to do, as far as `which` says, with who is to do it and how the host composes with their runtime. */
export async function readCandidates(
  { store, runtimes }: { readonly store: Store; readonly runtimes: RuntimeRegistry },
  hold: (card: TaskCard) => Held | null,
  which: Omit<ToDoFilter, 'limit'>,
): Promise<Candidates> {
  const waiting = await readWaitingTasks(store, { ...which, limit: MOST_TASKS })
  const known = new Map<string, AgentRecord | null>()
  const agentOf = async ({ id }: TaskAssignee) => {
    if (!known.has(id)) known.set(id, await store.agents.get(id))
    return known.get(id) ?? null
  }
  const candidates: DispatchCandidate[] = []
  const waits: DispatchPlan['waits'][number][] = []
  const runnable = new Map<string, RunnableTask>()
  for (const { task, readiness, fruitlessAttempts } of waiting) {
    const { assignee } = task
    const agent = assignee && (await agentOf(assignee))
    const base = { task, readiness, fruitlessAttempts }
    const held = assignee && (unfit(assignee, agent, runtimes) ?? (assignee.kind === 'agent' ? hold(task) : null))
    if (held && readiness.ready) waits.push({ taskId: task.id, code: held[0], reason: held[1] })
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

/** Why somebody can be asked for nothing, whatever the task; null = they can. The operator is always there. */
function unfit({ kind, id }: TaskAssignee, agent: AgentRecord | null, runtimes: RuntimeRegistry): Held | null {
  if (kind === 'person' && id === 'operator') return null
  const who = kind === 'person' ? 'a person who' : 'an agent that'
  if (!agent) return ['waits_for_person', `was asked of ${who} is gone; ask somebody else`]
  const name = plainWords(agent.displayName)
  if (agent.archivedAt !== null) return ['waits_for_person', `${name} is archived; ask somebody else`]
  if (kind === 'person') return null
  return runtimes.find(agent.runtime) ? null : ['waits_for_person', `${name} has no runtime here that can run it`]
}

function dispatchAgent(agent: AgentRecord, runtime: LazyRuntime | null): DispatchAgent {
  const dispatchable = runtime?.plan.dispatchable ?? true
  return { kind: 'agent', id: agent.id, name: agent.displayName, runtime: agent.runtime, dispatchable }
}
