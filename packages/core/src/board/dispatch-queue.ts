import type { executionState } from './execution.ts'
import { plainWords, quoteTitle } from './quote-title.ts'
import type { Readiness } from './readiness.ts'
import { TASK_PRIORITIES, type Task } from './task.ts'

/** How many runs may be live at once. An agent never has more than one. */
export interface DispatchLimits {
  readonly perRuntime: number
  readonly perServer: number
  /** After so many attempts in a row that came to nothing, a person has to look. */
  readonly fruitlessAttempts: number
}

export const DEFAULT_DISPATCH_LIMITS: DispatchLimits = { perRuntime: 4, perServer: 8, fruitlessAttempts: 3 }

export interface DispatchCandidate {
  readonly task: Pick<Task, 'id' | 'title' | 'priority' | 'createdAt'>
  readonly readiness: Readiness
  /** Who is to do it; null = nobody was asked. */
  readonly assignee: DispatchAgent | { readonly kind: 'person'; readonly name: string } | null
  /** As `countFruitless` has it. */
  readonly fruitlessAttempts: number
}

export interface DispatchAgent {
  readonly kind: 'agent'
  readonly id: string
  readonly name: string
  readonly runtime: string
  /** False: the runtime takes no task, as the integration plan says. */
  readonly dispatchable: boolean
}

/** A run that is going on, for a task or not. */
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
  /** Ids of tasks to be claimed now, in this order. */
  readonly starts: readonly string[]
  /** Every other task in the order of the queue, with the reason for a person: what goes after the task's name. */
  readonly waits: readonly { readonly taskId: string; readonly code: WaitCode; readonly reason: string }[]
}

/** Decides which tasks start, the most pressing first, then the oldest, and why each other one does not. */
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
    // Listed twice, a task would be claimed twice.
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

/** What an attempt came to, for whoever counts. */
export interface AttemptEnd {
  readonly state: ReturnType<typeof executionState>
  readonly startedAt: number
  /** Ended from outside: by a person, by a server that stopped, or with its agent. */
  readonly isInterrupted: boolean
}

/**
 * How often a task came to nothing: the attempts since a person last moved it that were lost or given back, one after the
 * other, the first one first. What was ended from outside is passed over: it neither counts nor makes good what does.
 */
export function countFruitless(attempts: readonly AttemptEnd[], attendedAt: number | null): number {
  const since = attempts.filter(
    ({ startedAt, isInterrupted }) => !isInterrupted && (attendedAt === null || startedAt > attendedAt),
  )
  const last = since.findLastIndex(({ state }) => state !== 'lost' && state !== 'released')
  return since.length - 1 - last
}

type Wait = readonly [WaitCode, string]

/** What keeps a task from starting whatever else runs. */
function standingWait(
  { readiness, assignee, fruitlessAttempts }: DispatchCandidate,
  limits: DispatchLimits,
): Wait | null {
  if (!readiness.ready) return ['not_ready', readiness.reason]
  if (!assignee) return ['unassigned', 'waits for somebody to be asked to do it']
  const name = plainWords(assignee.name)
  if (assignee.kind === 'person') return ['waits_for_person', `waits for ${name}`]
  // Refused before the claim: a claim would only hold the task up.
  if (!assignee.dispatchable)
    return ['runs_elsewhere', `${name} runs in a place of its own and cannot be given a task from here`]
  if (!(fruitlessAttempts < limits.fruitlessAttempts))
    return ['fruitless', `came to nothing ${fruitlessAttempts} times in a row; a person has to look at it`]
  return null
}

/** What is going on, the tasks that start in this round included. */
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

  /** A limit that is not a number lets nothing through. */
  wait(agent: DispatchAgent, limits: DispatchLimits): Wait | null {
    const work = this.#agents.get(agent.id)
    if (work !== undefined) return ['agent_busy', `waits until ${plainWords(agent.name)} is free; it works on ${work}`]
    const onRuntime = this.#onRuntime(agent.runtime)
    if (!(onRuntime < limits.perRuntime))
      return [
        'runtime_full',
        `waits for a free place: ${onRuntime} of ${limits.perRuntime} on ${agent.runtime} are taken`,
      ]
    if (!(this.#total < limits.perServer))
      return ['server_full', `waits for a free place: ${this.#total} of ${limits.perServer} on this server are taken`]
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

/** An unknown priority is an ordinary one. */
function rank({ priority }: DispatchCandidate['task']): number {
  const at = TASK_PRIORITIES.indexOf(priority)
  return at === -1 ? TASK_PRIORITIES.indexOf('normal') : at
}

function age({ createdAt }: DispatchCandidate['task']): number {
  return Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt
}
