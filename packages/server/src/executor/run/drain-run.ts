import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import {
  type ApprovalAnswer,
  endsRun,
  type FolderRead,
  type HostTools,
  type LazyRuntime,
  type LimitTripped,
  type Prompt,
  type RunHandle,
  type RunReason,
  type RuntimeAdapter,
  type RuntimeEvent,
  type SteerOutcome,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { PrepareRunInput } from './prepare-run-input.ts'
import type { RunBook, RunEnding } from './run-book.ts'
import { createLiveRunGuard, createRunClock, type LiveRunGuard, type RunBounds, type RunClock } from './run-bounds.ts'
import type { RunStream } from './run-streams.ts'

/** The input of a runtime for one run, and the bounds of the run. */
export interface RunPlan extends RunBounds {
  readonly runId: string
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly prepareInput: PrepareRunInput
  readonly sessionKey: string
  readonly prompt: Prompt
  /** The working folder; without one the agent works in its own workspace. */
  readonly folder?: string
  readonly folderReads?: readonly FolderRead[]
  readonly hostTools?: HostTools
}

/** A run that is being drained. */
export interface DrainingRun {
  /** Never rejects. */
  readonly ended: Promise<RunEnding>
  steer(prompt: Prompt): Promise<SteerOutcome>
  stop(reason: RunReason): void
  answerApproval(approvalId: string, answer: ApprovalAnswer): Promise<boolean>
  setModel(model: string): Promise<void>
}

/** How long a runtime may take to end an aborted run. */
const ABORT_GRACE_MS = 15_000

/** Starts a run and reads its events to the end, within the deadline, the idle limit and the budgets. */
export function drainRun(plan: RunPlan, book: RunBook, stream: RunStream): DrainingRun {
  const guard = createLiveRunGuard({ limits: plan.limits, budgets: plan.budgets, book: book.spend })
  const state: RunState = {
    adapter: null,
    handle: null,
    release: null,
    stopReason: null,
    tripped: null,
    isOver: false,
    seq: 0,
  }
  const stop = (reason: RunReason) => {
    if (state.stopReason) return
    state.stopReason = reason
    clock.grace(ABORT_GRACE_MS)
    // The grace period ends a run whose abort fails.
    if (state.handle) void state.adapter?.abort(state.handle).catch(() => {})
  }
  const clock = createRunClock(plan.limits, (limit) => {
    state.tripped = limit
    stop(limit.reason)
  })
  const run: Draining = { plan, book, stream, guard, state, clock, stop }
  const started = start(plan, guard, state)
  const ended = unlessGivenUp(started, clock)
    .then((events) => drain(run, events ?? neverStarted()))
    .catch((error: unknown) => endBrokenRun(run, error))
    .finally(async () => {
      state.isOver = true
      clock.stop()
      guard.release()
      // A folder that cannot be removed must not change how the run ended.
      await state.release?.().catch(() => {})
    })
  return {
    ended,
    stop,
    async steer(prompt) {
      // A run that failed to start has no handle, and its own end reports why.
      const handle = await Promise.race([started.then(() => state.handle), ended.then(() => null)]).catch(() => null)
      const { adapter } = state
      if (!handle || !adapter?.steer || state.stopReason) return { accepted: false, reason: 'no_active_run' }
      if (!adapter.capabilities(plan.agent).steering) return { accepted: false, reason: 'runtime_rejected' }
      return adapter.steer(handle, prompt)
    },
    answerApproval: async (approvalId, answer) =>
      state.handle ? ((await state.adapter?.answerApproval?.(state.handle, approvalId, answer)) ?? false) : false,
    async setModel(model) {
      if (state.handle) await state.adapter?.setModel?.(state.handle, model)
    },
  }
}

interface RunState {
  adapter: RuntimeAdapter | null
  handle: RunHandle | null
  /** Removes what was prepared for this run only. */
  release: (() => Promise<void>) | null
  stopReason: RunReason | null
  tripped: LimitTripped | null
  /** The end is known. A runtime that finishes loading only now must not start the run. */
  isOver: boolean
  /** The sequence number of the newest event. */
  seq: number
}

interface Draining {
  readonly plan: RunPlan
  readonly book: RunBook
  readonly stream: RunStream
  readonly guard: LiveRunGuard
  readonly state: RunState
  readonly clock: RunClock
  readonly stop: (reason: RunReason) => void
}

async function start(plan: RunPlan, guard: LiveRunGuard, state: RunState): Promise<AsyncIterable<RuntimeEvent>> {
  const { runtime, agent, sessionKey, prompt, runId, resume } = plan
  const adapter = await runtime.load()
  if (state.isOver) return neverStarted()
  state.adapter = adapter
  const { files, home, release } = await plan.prepareInput(agent, runtime)
  if (state.isOver) {
    await release()
    return neverStarted()
  }
  state.release = release
  state.handle = await adapter.start(
    { agent, files, sessionKey, prompt },
    {
      runId,
      guard,
      resume,
      home,
      folder: plan.folder ?? null,
      ...(plan.folderReads ? { folderReads: plan.folderReads } : {}),
      ...(plan.model ? { model: plan.model } : {}),
      ...(plan.verbose ? { verbose: plan.verbose } : {}),
      ...(plan.hostTools ? { hostTools: plan.hostTools } : {}),
    },
  )
  // Subscribe in the same tick, or the first events are missed.
  const events = adapter.events(state.handle)
  runtime.noteAgreed(adapter.capabilities(agent))
  // The grace period ends a run whose abort fails.
  if (state.stopReason) void adapter.abort(state.handle).catch(() => {})
  return events
}

async function drain(run: Draining, events: AsyncIterable<RuntimeEvent>): Promise<RunEnding> {
  const { book, stream, guard, clock } = run
  let kept: Promise<void> = Promise.resolve()
  const iterator = events[Symbol.asyncIterator]()
  for (;;) {
    const next = await unlessGivenUp(iterator.next(), clock)
    if (next === null) {
      void iterator.return?.()
      throw new Error('the runtime did not end the run within the grace period')
    }
    if (next.done) throw new Error('the runtime stopped without an end event')
    const event = next.value
    // A repeated event must not be counted twice.
    if (event.seq <= run.state.seq) continue
    clock.event(event)
    run.state.seq = event.seq
    const entries = stream.push(event)
    if (entries.length > 0) {
      // Stored in order, but not awaited here: a slow disk must not delay the live stream.
      kept = kept.then(() => book.keep(entries))
    }
    await handle(run, event)
    guard.handled(event.seq)
    if (endsRun(event)) {
      await kept
      return endOf(run, event)
    }
  }
}

/**
 * Resolves to null when the grace period ends. `Promise.race` with one long promise would leave a listener on it per
 * event.
 */
function unlessGivenUp<T>(work: Promise<T>, clock: RunClock): Promise<T | null> {
  return new Promise((resolve, reject) => {
    clock.whenGraceEnds(() => resolve(null))
    work.then(resolve, reject)
  })
}

function neverStarted(): never {
  throw new Error('the run was stopped before the runtime had started it')
}

async function handle({ plan, book, guard, state, stop }: Draining, event: RuntimeEvent): Promise<void> {
  if (event.type === 'cost') {
    const tripped = await guard.spent(event)
    await book.cost(event)
    // A runtime that asks before each model call is refused the next one. The host ends any other run here.
    if (tripped && !state.adapter?.capabilities(plan.agent).asksBeforeModelCall) {
      state.tripped = tripped
      stop(tripped.reason)
    }
  } else if (event.type === 'approval-request') await book.asked(event)
  else if (event.type === 'status' && event.state === 'prompt-delivered') await book.delivered(event.promptId ?? '')
}

function endOf({ plan, state }: Draining, event: RuntimeEvent & { type: 'done' | 'error' }): RunEnding {
  const { adapter } = state
  // Some runtimes learn the conversation's id only during the run.
  const handle = state.handle && { ...state.handle, sessionId: event.sessionId ?? state.handle.sessionId }
  const canResume = adapter?.capabilities(plan.agent).resume === true
  const resume = handle && canResume ? (adapter.sessionCodec?.encode(handle) ?? null) : null
  const shared = { undelivered: event.undelivered, isFinal: false, resume }
  if (event.type === 'error') {
    return { outcome: 'failed', reason: event.reason, detail: event.message, text: '', limit: null, ...shared }
  }
  const { text } = event
  if (event.outcome === 'aborted' && state.stopReason) return { ...stoppedBy(state, state.stopReason), text, ...shared }
  const limit = event.outcome === 'stopped' ? state.tripped : null
  return { outcome: event.outcome, reason: event.reason, detail: event.detail ?? null, text, limit, ...shared }
}

function stoppedBy({ tripped }: RunState, reason: RunReason) {
  const outcome = tripped || reason === 'server_stopping' ? 'stopped' : 'aborted'
  return { outcome, reason, detail: tripped ? limitWords(tripped) : null, limit: tripped } as const
}

/** Records the end of a run that could not start, or whose runtime stopped without an end event. */
async function endBrokenRun(run: Draining, error: unknown): Promise<RunEnding> {
  const { plan, book, stream, state, clock } = run
  const { handle, stopReason } = state
  const message = error instanceof Error ? error.message : String(error)
  const undelivered = handle ? [] : [plan.prompt.id]
  const head = { runId: plan.runId, sessionId: handle?.sessionId ?? null, ts: Date.now(), seq: state.seq + 1 }
  if (handle) {
    // No code reads this run from now on, so it must not continue unseen or overlap the next run.
    clock.grace(ABORT_GRACE_MS)
    // After the grace period, the host no longer waits for a runtime that cannot abort.
    await unlessGivenUp(state.adapter!.abort(handle), clock).catch(() => {})
  }
  if (stopReason) {
    const { limit, outcome, reason, detail } = stoppedBy(state, stopReason)
    const done = { outcome, reason, detail: detail ?? message, text: '', undelivered }
    await book.keep(stream.push({ ...head, type: 'done', ...done }))
    return { ...done, limit, isFinal: false, resume: null }
  }
  const refusal = error instanceof ClawbooError ? error.code : null
  const reason = handle ? 'process_died' : refusal === 'model_unknown' ? 'model_unknown' : 'start_failed'
  await book.keep(stream.push({ ...head, type: 'error', fatal: true, reason, message, undelivered }))
  const isFinal = refusal !== null && !TRANSIENT.includes(refusal)
  return { outcome: 'failed', reason, detail: message, text: '', undelivered, limit: null, isFinal, resume: null }
}

/** Errors that a retry may not meet again. */
const TRANSIENT: readonly ClawbooErrorCode[] = [
  'agent_busy',
  'upstream_disconnected',
  'rate_limited',
  'store_unavailable',
]

function limitWords({ reason, figure, cap }: LimitTripped): string {
  return `${reason.replace('_limit', '').replaceAll('_', ' ')}: ${figure} of ${cap}`
}
