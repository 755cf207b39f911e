import type { AttemptState } from './attempt.ts'
import { plainWords, quoteTitle } from './quote-title.ts'
import type { Readiness } from './readiness.ts'
import { TASK_PRIORITIES, type Task } from './task.ts'

/** The maximum number of active runs. An agent never has more than one. */
export interface DispatchLimits {
  readonly perRuntime: number
  readonly perServer: number
  /** After this many attempts in a row without a result, a person has to decide. */
  readonly fruitlessAttempts: number
}

export const DEFAULT_DISPATCH_LIMITS: DispatchLimits = { perRuntime: 4, perServer: 8, fruitlessAttempts: 3 }

export interface DispatchCandidate {
  readonly task: Pick<Task, 'id' | 'title' | 'priority' | 'createdAt'>
  readonly readiness: Readiness
  /** The assignee; null when unassigned. */
  readonly assignee: DispatchAgent | { readonly kind: 'person'; readonly name: string } | null
  /** Counted by `countFruitless`. */
  readonly fruitlessAttempts: number
}

export interface DispatchAgent {
  readonly kind: 'agent'
  readonly id: string
  readonly name: string
  readonly runtime: string
  /** False if the integration plan excludes the runtime from tasks. */
  readonly dispatchable: boolean
}

/** An active run, for a task or not. */
export interface LiveRun {
  readonly agentId: string
  readonly runtime: string
}

export type WaitCode =
  | 'not_ready'
  | 'unassigned'
  | 'waits_for_person'
  | 'runs_elsewhere'
  | 'fruitless'
  | 'agent_busy'
  | 'runtime_full'
  | 'server_full'

export interface DispatchPlan {
  /** The tasks to claim now, in this order. */
  readonly starts: readonly string[]
  /** Every other task in queue order, with a reason for people that follows the task's title. */
  readonly waits: readonly { readonly taskId: string; readonly code: WaitCode; readonly reason: string }[]
}

/** Decides which tasks start, highest priority first, then oldest, and why each other task does not. */
export function planDispatch(
  candidates: readonly DispatchCandidate[],
  live: readonly LiveRun[],
  limits: DispatchLimits = DEFAULT_DISPATCH_LIMITS,
): DispatchPlan {
  const load = new Load(live)
  const starts: string[] = []
  const waits: DispatchPlan['waits'][number][] = []
  const seen = new Set<string>()
  for (const candidate of candidates.toSorted(byTurn)) {
    const { task, assignee } = candidate
    // A task that is listed twice would be claimed twice.
    if (seen.has(task.id)) continue
    seen.add(task.id)
    const wait = standingWait(candidate, limits) ?? (assignee?.kind === 'agent' ? load.wait(assignee, limits) : null)
    if (wait) waits.push({ taskId: task.id, code: wait[0], reason: wait[1] })
    else if (assignee?.kind === 'agent') {
      starts.push(task.id)
      load.add(assignee.id, assignee.runtime, quoteTitle(task.title))
    }
  }
  return { starts, waits }
}

/** The end of an attempt, for counting. */
export interface AttemptEnd {
  readonly state: AttemptState
  readonly startedAt: number
  /** Ended from outside: by a person, by a server that stopped, or with its agent. */
  readonly isInterrupted: boolean
}

/**
 * Counts the consecutive attempts without a result (lost or released) since a person last moved the task; pass the
 * first attempt first. Attempts that were ended from outside are skipped: they neither count nor reset the count.
 */
export function countFruitless(attempts: readonly AttemptEnd[], attendedAt: number | null): number {
  const since = attempts.filter(
    ({ startedAt, isInterrupted }) => !isInterrupted && (attendedAt === null || startedAt > attendedAt),
  )
  const last = since.findLastIndex(({ state }) => state !== 'lost' && state !== 'released')
  return since.length - 1 - last
}

type Wait = readonly [WaitCode, string]

/** The reason that a task cannot start, regardless of the active runs. */
function standingWait(
  { readiness, assignee, fruitlessAttempts }: DispatchCandidate,
  limits: DispatchLimits,
): Wait | null {
  if (!readiness.ready) return ['not_ready', readiness.reason]
  if (!assignee) return ['unassigned', 'is unassigned']
  const name = plainWords(assignee.name)
  if (assignee.kind === 'person') return ['waits_for_person', `waits for ${name}`]
  // Such a runtime cannot receive tasks; a claim would only block the task.
  if (!assignee.dispatchable)
    return ['runs_elsewhere', `${name} runs on its own platform and cannot receive tasks from here`]
  if (!(fruitlessAttempts < limits.fruitlessAttempts))
    return ['fruitless', `ended without a result ${fruitlessAttempts} times in a row; a person has to look at it`]
  return null
}

/** The active runs, including the tasks that start in this round. */
class Load {
  readonly #agents = new Map<string, string>()
  readonly #runtimes = new Map<string, number>()
  #total = 0

  constructor(live: readonly LiveRun[]) {
    for (const { agentId, runtime } of live) this.add(agentId, runtime, 'something else')
  }

  add(agentId: string, runtime: string, work: string): void {
    this.#agents.set(agentId, work)
    this.#runtimes.set(runtime, this.#onRuntime(runtime) + 1)
    this.#total += 1
  }

  /** A limit that is not a number blocks everything. */
  wait(agent: DispatchAgent, limits: DispatchLimits): Wait | null {
    const work = this.#agents.get(agent.id)
    if (work !== undefined)
      return ['agent_busy', `waits until ${plainWords(agent.name)} is free; it is working on ${work}`]
    const onRuntime = this.#onRuntime(agent.runtime)
    if (!(onRuntime < limits.perRuntime))
      return [
        'runtime_full',
        `waits for a free slot: ${onRuntime} of ${limits.perRuntime} on ${agent.runtime} are in use`,
      ]
    if (!(this.#total < limits.perServer))
      return ['server_full', `waits for a free slot: ${this.#total} of ${limits.perServer} on this server are in use`]
    return null
  }

  #onRuntime(runtime: string): number {
    return this.#runtimes.get(runtime) ?? 0
  }
}

function byTurn({ task: a }: DispatchCandidate, { task: b }: DispatchCandidate): number {
  const priority = rank(b) - rank(a)
  if (priority !== 0) return priority
  const [made, other] = [age(a), age(b)]
  if (made !== other) return made < other ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** An unknown priority counts as normal. */
function rank({ priority }: DispatchCandidate['task']): number {
  const at = TASK_PRIORITIES.indexOf(priority)
  return at === -1 ? TASK_PRIORITIES.indexOf('normal') : at
}

function age({ createdAt }: DispatchCandidate['task']): number {
  return Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt
}
