import type { FailureKind, ModelFailure } from './model-request.ts'

/** One model that may answer a request. */
export interface Candidate {
  readonly provider: string
  readonly model: string
}

export interface ChainInput {
  readonly requested: Candidate
  /** Who chose it. A person's choice is tried alone: it fails visibly and is never replaced in silence. */
  readonly chosenBy: 'person' | 'agent' | 'default' | 'fallback'
  /** The agent's or the run's own list. It counts exactly as it is; empty means none. */
  readonly ownFallbacks?: readonly Candidate[]
  /** The configured fallbacks and the configured default. */
  readonly fallbacks: readonly Candidate[]
  readonly primary: Candidate | null
}

/** Which models may answer, in order, each once. */
export function candidateChain(input: ChainInput): Candidate[] {
  return unique([input.requested, ...others(input)])
}

function others({ chosenBy, ownFallbacks, fallbacks, primary }: ChainInput): readonly Candidate[] {
  if (chosenBy === 'person') return []
  if (ownFallbacks !== undefined) return ownFallbacks
  // An agent's own model without fallbacks of its own was meant to be used alone.
  if (chosenBy === 'agent') return []
  return primary === null ? fallbacks : [...fallbacks, primary]
}

export const refOf = ({ provider, model }: Candidate): string => `${provider}/${model}`

function unique(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [refOf(candidate), candidate])).values()]
}

/** Where another model may help. A stop by a person, a prompt that does not fit and a bad request stay what they are. */
const ADVANCING: ReadonlySet<FailureKind> = new Set([
  'auth',
  'rate_limit',
  'overloaded',
  'timeout',
  'billing',
  'network',
  'unknown',
])

export interface StepInput {
  readonly failure: ModelFailure
  /** How often this model has failed in this request, this failure included. */
  readonly failures: number
  /** Whether somebody has seen part of the answer: then it is not made a second time. */
  readonly hasOutput: boolean
  readonly candidatesLeft: number
}

export type NextStep =
  | { readonly step: 'retry'; readonly delayMs: number }
  | { readonly step: 'advance' }
  | { readonly step: 'fail' }

export const MAX_RETRIES = 3
const FIRST_DELAY_MS = 1000
export const LONGEST_RETRY_AFTER_MS = 60_000

/** What follows a failure. Decides; does nothing. */
export function nextStep({ failure, failures, hasOutput, candidatesLeft }: StepInput): NextStep {
  if (failure.aborted || hasOutput || !ADVANCING.has(failure.kind)) return { step: 'fail' }
  if (failure.retryable && failures <= retriesFor(failure.kind, candidatesLeft)) {
    const delayMs = failure.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (failures - 1)
    return { step: 'retry', delayMs: Math.min(delayMs, LONGEST_RETRY_AFTER_MS) }
  }
  return { step: candidatesLeft > 0 ? 'advance' : 'fail' }
}

/** With another model at hand nobody waits for one that is busy; a broken connection is tried once more at once. */
function retriesFor(kind: FailureKind, candidatesLeft: number): number {
  if (candidatesLeft === 0) return kind === 'timeout' ? 1 : MAX_RETRIES
  return kind === 'network' ? 1 : 0
}

/** One try of a request, as the summary shows it. */
export interface Attempt {
  readonly candidate: Candidate
  readonly failure: ModelFailure
  /** Not tried: it was cooling until then. */
  readonly coolingUntil?: number
}

export interface AllFailed {
  readonly message: string
  readonly attempts: readonly Attempt[]
  /** When the first of them may be tried again; null when none is cooling. */
  readonly soonestExpiry: number | null
}

/** One error for a request that no model answered. */
export function summarizeAttempts(attempts: readonly Attempt[], soonestExpiry: number | null, now: number): AllFailed {
  const lines = attempts.map(({ candidate, failure }) => `${refOf(candidate)}: ${failure.message}`)
  const wait =
    soonestExpiry === null || soonestExpiry <= now
      ? ''
      : ` The first may be tried again in ${span(soonestExpiry - now)}.`
  const count = attempts.length === 1 ? 'The model did not answer.' : `None of ${attempts.length} models answered.`
  return { message: `${count} ${lines.join(' | ')}${wait}`, attempts, soonestExpiry }
}

function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
