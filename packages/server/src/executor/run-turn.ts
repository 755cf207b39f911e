import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import {
  type ApprovalAnswer,
  endsRun,
  type LimitTripped,
  type Prompt,
  type RunHandle,
  type RunReason,
  type RuntimeAdapter,
  type RuntimeEvent,
  type SteerOutcome,
} from '@clawboo/core/executor'
import { createLiveRunGuard, type LiveRunGuard } from './live-run-guard.ts'
import { createRunClock, type RunClock } from './run-clock.ts'
import type { RunStream } from './run-streams.ts'
import type { Turn, TurnBook, TurnEnd } from './turn.ts'

/** A turn that is being taken. */
export interface RunningTurn {
  /** Never rejects. */
  readonly ended: Promise<TurnEnd>
  steer(prompt: Prompt): Promise<SteerOutcome>
  stop(reason: RunReason): void
  answerApproval(approvalId: string, answer: ApprovalAnswer): Promise<boolean>
  setModel(model: string): Promise<void>
}

/** How long a runtime may take to end what was aborted. */
const ABORT_GRACE_MS = 15_000

/** Starts the runtime and drains its events to the end, within the deadline, the idle limit and the budgets. */
export function runTurn(turn: Turn, book: TurnBook, stream: RunStream): RunningTurn {
  const guard = createLiveRunGuard({ limits: turn.limits, budgets: turn.budgets, book: book.spend })
  const state: TurnState = { adapter: null, handle: null, release: null, stopReason: null, tripped: null, seq: 0 }
  const stop = (reason: RunReason) => {
    if (state.stopReason) return
    state.stopReason = reason
    clock.grace(ABORT_GRACE_MS)
    if (state.handle) void state.adapter?.abort(state.handle).catch(() => {})
  }
  const clock = createRunClock(turn.limits, (limit) => {
    state.tripped = limit
    stop(limit.reason)
  })
  const run: Draining = { turn, book, stream, guard, state, clock, stop }
  const started = start(turn, guard, state)
  const ended = unlessGivenUp(started, clock)
    .then((events) => drain(run, events ?? neverStarted()))
    .catch((error: unknown) => endBrokenRun(run, error))
    .finally(async () => {
      clock.stop()
      guard.release()
      // A folder that could not be removed must not change how the run ended.
      await state.release?.().catch(() => {})
    })
  return {
    ended,
    stop,
    async steer(prompt) {
      const handle = await Promise.race([started.then(() => state.handle), ended.then(() => null)]).catch(() => null)
      const { adapter } = state
      if (!handle || !adapter?.steer || state.stopReason) return { accepted: false, reason: 'no_active_run' }
      if (!adapter.capabilities(turn.agent).steering) return { accepted: false, reason: 'runtime_rejected' }
      return adapter.steer(handle, prompt)
    },
    answerApproval: async (approvalId, answer) =>
      state.handle ? ((await state.adapter?.answerApproval?.(state.handle, approvalId, answer)) ?? false) : false,
    async setModel(model) {
      if (state.handle) await state.adapter?.setModel?.(state.handle, model)
    },
  }
}

interface TurnState {
  adapter: RuntimeAdapter | null
  handle: RunHandle | null
  /** Removes what was prepared for this run alone. */
  release: (() => Promise<void>) | null
  stopReason: RunReason | null
  tripped: LimitTripped | null
  /** Of the newest event. */
  seq: number
}

interface Draining {
  readonly turn: Turn
  readonly book: TurnBook
  readonly stream: RunStream
  readonly guard: LiveRunGuard
  readonly state: TurnState
  readonly clock: RunClock
  readonly stop: (reason: RunReason) => void
}

async function start(turn: Turn, guard: LiveRunGuard, state: TurnState): Promise<AsyncIterable<RuntimeEvent>> {
  const { runtime, agent, sessionKey, prompt, runId, resume } = turn
  const adapter = await runtime.load()
  state.adapter = adapter
  const { files, home, release } = await turn.inputs.prepare(agent, runtime)
  state.release = release
  state.handle = await adapter.start(
    { agent, files, sessionKey, prompt },
    {
      runId,
      guard,
      resume,
      home,
      folder: turn.folder ?? null,
      ...(turn.model ? { model: turn.model } : {}),
      ...(turn.verbose ? { verbose: turn.verbose } : {}),
      ...(turn.hostTools ? { hostTools: turn.hostTools } : {}),
    },
  )
  // In the same tick: nothing of the stream may be missed.
  const events = adapter.events(state.handle)
  runtime.noteAgreed(adapter.capabilities(agent))
  if (state.stopReason) void adapter.abort(state.handle).catch(() => {})
  return events
}

async function drain(run: Draining, events: AsyncIterable<RuntimeEvent>): Promise<TurnEnd> {
  const { book, stream, guard, clock } = run
  let kept: Promise<void> = Promise.resolve()
  const iterator = events[Symbol.asyncIterator]()
  for (;;) {
    const next = await unlessGivenUp(iterator.next(), clock)
    if (next === null) {
      void iterator.return?.()
      throw new Error('the runtime did not end when it was told to')
    }
    if (next.done) throw new Error('the runtime stopped without saying how it ended')
    const event = next.value
    // Told before: counted again, it would cost twice.
    if (event.seq <= run.state.seq) continue
    clock.event(event)
    run.state.seq = event.seq
    const entries = stream.push(event)
    if (entries.length > 0) {
      // Written in order, behind the reader: a slow disk must not hold back what is shown.
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

/** null when the grace ran out. Not a race with one long promise: each event would leave a listener on it. */
function unlessGivenUp<T>(work: Promise<T>, clock: RunClock): Promise<T | null> {
  return new Promise((resolve, reject) => {
    clock.whenGraceEnds(() => resolve(null))
    work.then(resolve, reject)
  })
}

function neverStarted(): never {
  throw new Error('the runtime did not start before it was told to end')
}

async function handle({ turn, book, guard, state, stop }: Draining, event: RuntimeEvent): Promise<void> {
  if (event.type === 'cost') {
    const tripped = await guard.spent(event)
    await book.cost(event)
    // A runtime that asks before each call is refused its next one. Any other is ended here.
    if (tripped && !state.adapter?.capabilities(turn.agent).asksBeforeModelCall) {
      state.tripped = tripped
      stop(tripped.reason)
    }
  } else if (event.type === 'approval-request') await book.asked(event)
  else if (event.type === 'status' && event.state === 'approval-answered') await book.answered(event.approvalId ?? '')
  else if (event.type === 'status' && event.state === 'prompt-delivered') await book.delivered(event.promptId ?? '')
}

function endOf({ turn, state }: Draining, event: RuntimeEvent & { type: 'done' | 'error' }): TurnEnd {
  const { adapter } = state
  // A runtime may learn the conversation's id only while it runs.
  const handle = state.handle && { ...state.handle, sessionId: event.sessionId ?? state.handle.sessionId }
  const canResume = adapter?.capabilities(turn.agent).resume === true
  const resume = handle && canResume ? (adapter.sessionCodec?.encode(handle) ?? null) : null
  const shared = { undelivered: event.undelivered, isFinal: false, resume }
  if (event.type === 'error') {
    return { outcome: 'failed', reason: event.reason, detail: event.message, text: '', limit: null, ...shared }
  }
  const { text } = event
  if (event.outcome === 'aborted' && state.stopReason) return { ...toldToEnd(state, state.stopReason), text, ...shared }
  const limit = event.outcome === 'stopped' ? state.tripped : null
  return { outcome: event.outcome, reason: event.reason, detail: event.detail ?? null, text, limit, ...shared }
}

function toldToEnd({ tripped }: TurnState, reason: RunReason) {
  const outcome = tripped || reason === 'server_stopping' ? 'stopped' : 'aborted'
  return { outcome, reason, detail: tripped ? limitWords(tripped) : null, limit: tripped } as const
}

/** A run that could not start, or whose runtime fell silent: its readers are told of an end that nobody else told. */
async function endBrokenRun(run: Draining, error: unknown): Promise<TurnEnd> {
  const { turn, book, stream, state, clock } = run
  const { handle, stopReason } = state
  const message = error instanceof Error ? error.message : String(error)
  const undelivered = handle ? [] : [turn.prompt.id]
  const head = { runId: turn.runId, sessionId: handle?.sessionId ?? null, ts: Date.now(), seq: state.seq + 1 }
  if (handle) {
    // Nobody reads it any more: it must not go on unseen, nor into the next turn.
    clock.grace(ABORT_GRACE_MS)
    await unlessGivenUp(state.adapter!.abort(handle), clock).catch(() => {})
  }
  if (stopReason) {
    const { limit, outcome, reason, detail } = toldToEnd(state, stopReason)
    const told = { outcome, reason, detail: detail ?? message, text: '', undelivered }
    await book.keep(stream.push({ ...head, type: 'done', ...told }))
    return { ...told, limit, isFinal: false, resume: null }
  }
  const refusal = error instanceof ClawbooError ? error.code : null
  const reason = handle ? 'process_died' : refusal === 'model_unknown' ? 'model_unknown' : 'start_failed'
  await book.keep(stream.push({ ...head, type: 'error', fatal: true, reason, message, undelivered }))
  const isFinal = refusal !== null && !PASSING.includes(refusal)
  return { outcome: 'failed', reason, detail: message, text: '', undelivered, limit: null, isFinal, resume: null }
}

/** What may be otherwise at the next try. */
const PASSING: readonly ClawbooErrorCode[] = [
  'agent_busy',
  'upstream_disconnected',
  'rate_limited',
  'store_unavailable',
]

function limitWords({ reason, figure, cap }: LimitTripped): string {
  return `${reason.replace('_limit', '').replaceAll('_', ' ')}: ${figure} of ${cap}`
}
