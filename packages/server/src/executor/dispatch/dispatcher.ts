import { DEFAULT_DISPATCH_LIMITS, type DispatchPlan, planDispatch, type TaskCard } from '@clawboo/core/board'
import { RunControl } from '../run/run-control.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import { type KeptLease, keepLease } from './keep-lease.ts'
import { type Held, type RunnableTask, readCandidates } from './read-candidates.ts'
import { releaseOwnAttempts, sweepWorkplaces } from './recover-attempts.ts'
import { runAttempt } from './run-attempt.ts'
import { taskConversation } from './run-task.ts'

/** Gives the tasks of the board to agents: core decides which, here it is done. */
export interface Dispatcher {
  /** Settles what an earlier process left behind, then begins. */
  start(): Promise<void>
  /** Something changed: look again soon. */
  poke(): void
  /** Every task that is to do and waits, with its reason: what goes after the task's name. */
  queue(teamId?: string): Promise<DispatchPlan['waits']>
  /** Ends the work on a task and gives it back. False = nobody here works on it. Resolves when that is reported. */
  stopTask(taskId: string): Promise<boolean>
  /** Ends every run and gives its task back. Starts nothing more. */
  close(): Promise<void>
}

interface Live {
  readonly control: RunControl
  readonly lease: KeptLease
  readonly ended: Promise<void>
}

const POLL_MS = 5_000

/** `workplaces` is the folder that `worktrees` was opened with. */
export function createDispatcher(parts: DispatchParts & { readonly workplaces: string }): Dispatcher {
  const { claims, reports, slots, lines, turns, log, dispatchLimits = DEFAULT_DISPATCH_LIMITS } = parts
  /** By task, until its report is in: nobody else works on it before. */
  const live = new Map<string, Live>()
  /** What a person took back, as it was then (null = it is being ended): it waits until somebody changes it. */
  const takenBack = new Map<string, number | null>()
  const rounds = createRounds(round, (error) => log.error('tasks could not be looked at', { error }))
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** With the first round: git takes its time, and the server is not to wait for it. */
  let isSwept = false
  const notSwept = (error: unknown) => log.error('the workplaces could not be swept', { error })
  let stopListening = () => {}
  const listen = () => {
    const stops = [
      slots.onFree(rounds.poke),
      turns.onReviewed(rounds.poke),
      lines.onLine(({ taskId }) => {
        live.get(taskId)?.lease.look()
        rounds.poke()
      }),
    ]
    return () => stops.forEach((stop) => void stop())
  }

  function hold({ id, updatedAt }: TaskCard): Held | null {
    if (live.has(id)) return ['agent_busy', 'waits until the attempt before has come to its end']
    if (turns.isReviewed(id))
      return ['waits_for_person', 'waits while its work is looked at, merged, checked or cleaned up']
    const since = takenBack.get(id)
    return since === null || since === updatedAt
      ? ['waits_for_person', 'was taken back; it goes on once somebody has changed or moved it']
      : null
  }

  async function round(): Promise<void> {
    if (!isSwept) await sweepWorkplaces(parts, parts.workplaces).catch(notSwept)
    isSwept = true
    await claims.expire()
    await reports.applyUnread()
    // Not all that waits: however much of it there is, it must not keep what can start out of sight.
    const notOf = slots.live().map(({ agentId }) => agentId)
    const { candidates, runnable } = await readCandidates(parts, hold, { notOf })
    for (const taskId of planDispatch(candidates, slots.live(), dispatchLimits).starts) {
      if (closed) return
      await begin(runnable.get(taskId)!).catch((error: unknown) =>
        log.error('a task could not be begun', { taskId, error }),
      )
    }
  }

  /** Losing the claim is nothing to speak of. */
  async function begin({ card, agent, runtime }: RunnableTask): Promise<void> {
    const control = new RunControl(taskConversation(agent.id, card.id))
    const letGo = slots.occupy(agent, control)
    // Before the claim: a review that looked at the board until then would not see it.
    const leave = letGo && turns.enter(card.id)
    const free = () => {
      letGo?.()
      control.freed()
    }
    if (!leave) return free()
    parts.onStep?.('claim')
    const by = { kind: 'agent', id: agent.id } as const
    const wanted = { taskId: card.id, expects: by, by, runtime: agent.runtime }
    const outcome = await claims.claim(wanted).catch((error: unknown) => {
      leave()
      free()
      throw error
    })
    if (!outcome.claimed) {
      leave()
      return free()
    }
    takenBack.delete(card.id)
    const { task, execution } = outcome
    const lost = () => control.end('not_ours')
    const lease = keepLease({ claims, execution, log, everyMs: parts.renewMs, lost })
    const ended = runAttempt(parts, { task, execution, agent, runtime, control }, { free, leave }).finally(() => {
      lease.stop()
      live.delete(card.id)
      rounds.poke()
    })
    live.set(card.id, { control, lease, ended })
    if (closed) control.end('server_stopping')
  }

  return {
    async start() {
      await releaseOwnAttempts(parts)
      stopListening = listen()
      timer = setInterval(rounds.poke, parts.pollMs ?? POLL_MS).unref()
      rounds.open()
    },
    poke: rounds.poke,
    async queue(teamId) {
      const { candidates, waits } = await readCandidates(parts, hold, teamId === undefined ? {} : { teamId })
      return [...planDispatch(candidates, slots.live(), dispatchLimits).waits, ...waits]
    },
    async stopTask(taskId) {
      const work = live.get(taskId)
      if (!work) return false
      takenBack.set(taskId, null)
      work.control.end('taken_back')
      await work.ended
      const task = await parts.store.tasks.get(taskId).catch(() => null)
      if (task?.status === 'todo') takenBack.set(taskId, task.updatedAt)
      else takenBack.delete(taskId)
      return true
    },
    async close() {
      closed = true
      clearInterval(timer)
      stopListening()
      await rounds.close()
      const ending = [...live.values()]
      for (const { control } of ending) control.end('server_stopping')
      await Promise.all(ending.map(({ ended }) => ended))
    },
  }
}

/** One round at a time, and none before it is opened; wishes that come meanwhile are one more. */
function createRounds(round: () => Promise<void>, failed: (error: unknown) => void) {
  let running: Promise<void> | null = null
  let wanted = false
  let closed = true
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    while (wanted && !closed) {
      wanted = false
      await round().catch(failed)
    }
  }
  // Behind the timers of the conversations: what a person said goes first.
  const later = () => {
    timer = setTimeout(() => {
      running = run().finally(() => {
        running = null
        timer = undefined
        if (wanted && !closed) later()
      })
    }, 0)
  }
  const poke = () => {
    wanted = true
    if (!closed && timer === undefined) later()
  }
  return {
    poke,
    open(): void {
      closed = false
      poke()
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await running
    },
  }
}
