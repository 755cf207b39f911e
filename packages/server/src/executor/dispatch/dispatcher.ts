import {
  DEFAULT_DISPATCH_LIMITS,
  type DispatchPlan,
  LEASE_MS,
  LEASE_RENEW_MS,
  planDispatch,
  type TaskCard,
} from '@clawboo/core/board'
import { type KeptLease, keepLease } from '../keep-lease.ts'
import { RunControl } from '../run/run-control.ts'
import type { DispatchServices } from './dispatch-services.ts'
import { type RunnableTask, readCandidates, type WaitReason } from './read-candidates.ts'
import { releaseOwnAttempts, sweepWorktrees } from './recover-attempts.ts'
import { type AttemptSteps, runAttempt, type TaskAttempt, taskConversation } from './run-attempt.ts'

export type Dispatcher = ReturnType<typeof createDispatcher>

const POLL_MS = 5_000

/** Starts the ready tasks. Core decides which tasks start; this code claims and runs them. */
export function createDispatcher(services: DispatchServices) {
  const { claims, reports, slots, log, dispatchLimits = DEFAULT_DISPATCH_LIMITS } = services
  const rounds = createRounds(round, (error) => log.error('a round of tasks failed', { error }))
  const attempts = createAttempts(services, rounds.poke)
  let timer: NodeJS.Timeout | undefined
  let isSwept = false
  let stopListening = () => {}

  async function round(): Promise<void> {
    // Sweep in the first round: git is slow, and the start of the server must not wait for it.
    if (!isSwept)
      await sweepWorktrees(services).catch((error: unknown) => log.error('the worktrees were not swept', { error }))
    isSwept = true
    await claims.expire()
    await reports.applyUnread()
    // Reads only tasks that could start, so that no number of waiting tasks can hide one.
    const notOf = slots.live().map(({ agentId }) => agentId)
    const { candidates, runnable } = await readCandidates(services, attempts.waitReason, { notOf })
    for (const taskId of planDispatch(candidates, slots.live(), dispatchLimits).starts) {
      if (attempts.isClosed) return
      await attempts
        .begin(runnable.get(taskId)!)
        .catch((error: unknown) => log.error('a task could not be started', { taskId, error }))
    }
  }

  return {
    /** Releases the attempts of an earlier process, then starts the first round. */
    async start() {
      await releaseOwnAttempts(services)
      stopListening = listen(services, rounds.poke, attempts.renewLease)
      timer = setInterval(rounds.poke, services.pollMs ?? POLL_MS).unref()
      rounds.open()
    },
    /** Requests a round soon. Call this after a change. */
    poke: rounds.poke,
    /** Every task in To do that does not start, with the reason as words that follow the task's name. */
    async queue(teamId?: string): Promise<DispatchPlan['waits']> {
      const filter = teamId === undefined ? {} : { teamId }
      const { candidates, waits } = await readCandidates(services, attempts.waitReason, filter)
      return [...planDispatch(candidates, slots.live(), dispatchLimits).waits, ...waits]
    },
    /** Ends the attempt at a task and releases the task. Resolves after the report; false = no attempt on this server. */
    stopTask: attempts.stop,
    /** Ends every attempt and releases its task. Starts nothing more. */
    async close() {
      attempts.refuseMore()
      clearInterval(timer)
      stopListening()
      await rounds.close()
      await attempts.endAll()
    },
  }
}

/** Requests a round when an agent becomes free, a review ends or the board changes: each may let a task start. */
function listen(
  { slots, locks, lines }: DispatchServices,
  poke: () => void,
  renewLease: (taskId: string) => void,
): () => void {
  const stops = [
    slots.onFree(poke),
    locks.onReviewed(poke),
    lines.onLine(({ taskId }) => {
      renewLease(taskId)
      poke()
    }),
  ]
  return () => stops.forEach((stop) => void stop())
}

interface ActiveAttempt {
  readonly control: RunControl
  readonly lease: KeptLease
  readonly ended: Promise<void>
}

/** The attempts of this server, by task, from the claim to the report. */
function createAttempts(services: DispatchServices, onEnd: () => void) {
  const { locks, store } = services
  const active = new Map<string, ActiveAttempt>()
  /** The tasks that a person took back, with `updatedAt` at that time; null = the attempt is still ending. */
  const takenBack = new Map<string, number | null>()
  let isClosed = false

  return {
    get isClosed() {
      return isClosed
    },
    /** Returns the reason that a task waits although it could be planned; null = no reason. */
    waitReason({ id, updatedAt }: TaskCard): WaitReason | null {
      if (active.has(id)) return ['agent_busy', 'waits until its previous attempt has ended']
      if (locks.isReviewed(id))
        return ['waits_for_person', 'waits while its work is viewed, merged, checked or cleaned up']
      const since = takenBack.get(id)
      return since === null || since === updatedAt
        ? ['waits_for_person', 'was taken back; change or move it to continue']
        : null
    },
    renewLease(taskId: string): void {
      active.get(taskId)?.lease.renewNow()
    },
    /** Claims a task and starts its attempt. Does nothing when the agent, the files or the claim are not available. */
    async begin(runnable: RunnableTask): Promise<void> {
      const claimed = await claimTask(services, runnable)
      if (!claimed) return
      const { attempt, steps } = claimed
      const { task, stored, control } = attempt
      takenBack.delete(task.id)
      const lease = keepAttemptLease(services, stored, control)
      const ended = runAttempt(services, attempt, steps).finally(() => {
        lease.stop()
        active.delete(task.id)
        onEnd()
      })
      active.set(task.id, { control, lease, ended })
      if (isClosed) control.end('server_stopping')
    },
    async stop(taskId: string): Promise<boolean> {
      const attempt = active.get(taskId)
      if (!attempt) return false
      takenBack.set(taskId, null)
      attempt.control.end('taken_back')
      await attempt.ended
      // When the task cannot be read, it may start again: that costs less than a task that waits forever.
      const task = await store.tasks.get(taskId).catch(() => null)
      if (task?.status === 'todo') takenBack.set(taskId, task.updatedAt)
      else takenBack.delete(taskId)
      return true
    },
    refuseMore(): void {
      isClosed = true
    },
    async endAll(): Promise<void> {
      const ending = [...active.values()]
      for (const { control } of ending) control.end('server_stopping')
      await Promise.all(ending.map(({ ended }) => ended))
    },
  }
}

interface ClaimedAttempt {
  readonly attempt: TaskAttempt
  readonly steps: AttemptSteps
}

/** Occupies the agent, locks the files and claims the task. Resolves to null when one of them is not available. */
async function claimTask(
  { claims, slots, locks, onStep }: DispatchServices,
  { card, agent, runtime }: RunnableTask,
): Promise<ClaimedAttempt | null> {
  const control = new RunControl(taskConversation(agent.id, card.id))
  const release = slots.occupy(agent, control)
  // Locked before the claim: a review that read the board earlier would not see the claim.
  const unlock = release && locks.enter(card.id)
  const free = () => {
    release?.()
    control.freed()
  }
  if (!unlock) {
    free()
    return null
  }
  onStep?.('claim')
  const by = { kind: 'agent', id: agent.id } as const
  let isClaimed = false
  try {
    const outcome = await claims.claim({ taskId: card.id, expects: by, by, runtime: agent.runtime })
    isClaimed = outcome.claimed
    if (!outcome.claimed) return null
    const { task, attempt: stored } = outcome
    return { attempt: { task, stored, agent, runtime, control }, steps: { free, unlock } }
  } finally {
    if (!isClaimed) {
      unlock()
      free()
    }
  }
}

function keepAttemptLease(
  { claims, log, renewMs = LEASE_RENEW_MS }: DispatchServices,
  attempt: Parameters<DispatchServices['claims']['renew']>[0],
  control: RunControl,
): KeptLease {
  return keepLease({
    renew: () => claims.renew(attempt),
    leaseMs: LEASE_MS,
    everyMs: renewMs,
    onError: (error) => log.warn('the lease of an attempt was not renewed', { attemptId: attempt.id, error }),
    onLost: () => control.end('not_ours'),
  })
}

/** Runs one round at a time, and none before `open`. All requests during a round become one more round. */
function createRounds(round: () => Promise<void>, onError: (error: unknown) => void) {
  let running: Promise<void> | null = null
  let isRequested = false
  let isClosed = true
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    while (isRequested && !isClosed) {
      isRequested = false
      await round().catch(onError)
    }
  }
  // In a timer that runs after the timers of the conversations: a person's message goes before a task.
  const runLater = () => {
    timer = setTimeout(() => {
      running = run().finally(() => {
        running = null
        timer = undefined
        if (isRequested && !isClosed) runLater()
      })
    }, 0)
  }
  const poke = () => {
    isRequested = true
    if (!isClosed && timer === undefined) runLater()
  }
  return {
    poke,
    open(): void {
      isClosed = false
      poke()
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
