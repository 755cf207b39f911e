import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelDone, ModelEvent, ModelFailed, ModelFailure } from '../model-request.ts'
import { failure } from './classify-failure.ts'
import type { CandidatePlan, CooldownEntry, Subject } from './cooldown.ts'
import { type Attempt, type Candidate, nextStep, summarizeAttempts } from './failover.ts'

/** The events while candidates are tried. Ends with exactly one `done` or `failed`. */
export type ChainEvent =
  /** This model is called next. The events until the next `attempt` belong to it. */
  | { readonly type: 'attempt'; readonly candidate: Candidate }
  | {
      readonly type: 'retrying'
      readonly candidate: Candidate
      readonly failure: ModelFailure
      readonly delayMs: number
    }
  | { readonly type: 'switched'; readonly from: Candidate; readonly to: Candidate; readonly failure: ModelFailure }
  | Exclude<ModelEvent, ModelDone | ModelFailed>
  | (ModelDone & { readonly candidate: Candidate })
  | ChainFailed

export interface ChainFailed extends ModelFailed {
  /** The last candidate tried; null = none. */
  readonly candidate: Candidate | null
  readonly attempts: readonly Attempt[]
  readonly soonestExpiry: number | null
}

export interface ChainDeps<T extends Subject> {
  call(subject: T): AsyncGenerator<ModelEvent, void>
  /** Called before each attempt, because an earlier one may have started a cooldown of the key. */
  cooling(subject: T): CooldownEntry | null
  readonly signal: AbortSignal
  now(): number
}

/** Calls one candidate after the other until one answers. `nextStep` decides after each failure. */
export async function* runChain<T extends Subject>(
  plan: CandidatePlan<T>,
  deps: ChainDeps<T>,
): AsyncGenerator<ChainEvent, void> {
  const attempts: Attempt[] = plan.cooling.map(({ subject, entry }) => skipped(subject, entry))
  let last: { readonly candidate: Candidate; readonly failed: ModelFailed } | null = null
  for (const [at, { subject, despiteCooldown }] of plan.ready.entries()) {
    const candidate: Candidate = { provider: subject.provider, model: subject.model }
    const cooling = despiteCooldown === null ? deps.cooling(subject) : null
    if (cooling !== null) {
      attempts.push(skipped(subject, cooling))
      continue
    }
    if (last !== null) yield { type: 'switched', from: last.candidate, to: candidate, failure: last.failed }
    const end = yield* tryCandidate(
      { subject, candidate, isProbe: despiteCooldown === 'probe', candidatesLeft: plan.ready.length - at - 1 },
      deps,
    )
    if (end.done !== null) return yield { ...end.done, candidate }
    attempts.push({ candidate, failure: end.failed })
    last = { candidate, failed: end.failed }
    if (!end.mayAdvance) break
  }
  const all = [...plan.ready, ...plan.cooling].flatMap(({ subject }) => deps.cooling(subject)?.until ?? [])
  yield chainFailed(attempts, last, all.length > 0 ? Math.min(...all) : null, deps.now())
}

type TryEnd =
  | { readonly done: ModelDone }
  | { readonly done: null; readonly failed: ModelFailed; readonly mayAdvance: boolean }

interface CandidateTry<T> {
  readonly subject: T
  readonly candidate: Candidate
  readonly isProbe: boolean
  readonly candidatesLeft: number
}

async function* tryCandidate<T extends Subject>(
  attempt: CandidateTry<T>,
  deps: ChainDeps<T>,
): AsyncGenerator<ChainEvent, TryEnd> {
  const { subject, candidate, isProbe, candidatesLeft } = attempt
  for (let failures = 1; ; failures++) {
    yield { type: 'attempt', candidate }
    let hasOutput = false
    let failed: ModelFailed | null = null
    for await (const event of deps.call(subject)) {
      if (event.type === 'done') return { done: event }
      if (event.type === 'failed') failed = event
      else {
        hasOutput = true
        yield event
      }
    }
    if (failed === null) throw new TypeError('A model call ended without done or failed.')
    // A probe is not retried: its cooldown has not ended yet.
    const step = nextStep({ failure: failed, failures, hasOutput, candidatesLeft })
    if (step.step !== 'retry' || isProbe) return { done: null, failed, mayAdvance: step.step === 'advance' }
    yield { type: 'retrying', candidate, failure: failed, delayMs: step.delayMs }
    // An abort rejects the sleep; the next line handles it.
    await sleep(step.delayMs, undefined, { signal: deps.signal }).catch(() => undefined)
    if (deps.signal.aborted) return { done: null, failed: { ...failed, ...stopped }, mayAdvance: false }
  }
}

const stopped = failure('aborted', 'The call was stopped.', { aborted: true })

function skipped({ provider, model }: Subject, { kind, until }: CooldownEntry): Attempt {
  const problem = failure(kind, `skipped after earlier failures (${kind.replace('_', ' ')})`)
  return { candidate: { provider, model }, failure: problem, coolingUntil: until }
}

function chainFailed(
  attempts: readonly Attempt[],
  last: { readonly candidate: Candidate; readonly failed: ModelFailed } | null,
  soonestExpiry: number | null,
  now: number,
): ChainFailed {
  const candidate = last?.candidate ?? null
  if (last !== null && (attempts.length === 1 || last.failed.aborted))
    return { ...last.failed, candidate, attempts, soonestExpiry }
  const { message } = summarizeAttempts(attempts, soonestExpiry, now)
  const base: ModelFailed = last?.failed ?? { type: 'failed', ...attempts[0]!.failure, content: [], usage: null }
  return { ...base, message, candidate, attempts, soonestExpiry, retryable: false }
}
