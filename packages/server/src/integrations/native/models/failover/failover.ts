import type { FailureKind, ModelFailure } from '../model-request.ts'

/** A model that can answer a request. */
export interface Candidate {
  readonly provider: string
  readonly model: string
}

export interface ChainInput {
  readonly requested: Candidate
  /** Who chose the model. A person's choice is tried alone: it fails visibly and is never silently replaced. */
  readonly chosenBy: 'person' | 'agent' | 'default' | 'fallback'
  /** The agent's or the run's own list, used exactly as given; empty = no fallbacks. */
  readonly ownFallbacks?: readonly Candidate[]
  /** The configured fallbacks and the configured default. */
  readonly fallbacks: readonly Candidate[]
  readonly primary: Candidate | null
}

/** The models that can answer, in order, each once. */
export function candidateChain(input: ChainInput): Candidate[] {
  return unique([input.requested, ...others(input)])
}

function others({ chosenBy, ownFallbacks, fallbacks, primary }: ChainInput): readonly Candidate[] {
  if (chosenBy === 'person') return []
  if (ownFallbacks !== undefined) return ownFallbacks
  // An agent with its own model and no fallbacks of its own uses that model alone.
  if (chosenBy === 'agent') return []
  return primary === null ? fallbacks : [...fallbacks, primary]
}

export const refOf = ({ provider, model }: Candidate): string => `${provider}/${model}`

function unique(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [refOf(candidate), candidate])).values()]
}

/** Failures after which another model may help. An abort, an overflow or an invalid request would fail there too. */
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
  /** How often this model has failed in this request, including this failure. */
  readonly failures: number
  /** Whether part of the answer was already shown. Then the request is not repeated. */
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

/** Decides what follows a failure. */
export function nextStep({ failure, failures, hasOutput, candidatesLeft }: StepInput): NextStep {
  if (failure.aborted || hasOutput || !ADVANCING.has(failure.kind)) return { step: 'fail' }
  if (failure.retryable && failures <= retriesFor(failure.kind, candidatesLeft)) {
    const delayMs = failure.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (failures - 1)
    return { step: 'retry', delayMs: Math.min(delayMs, LONGEST_RETRY_AFTER_MS) }
  }
  return { step: candidatesLeft > 0 ? 'advance' : 'fail' }
}

/** If another model is left, do not wait for a busy one; retry only a failed connection, once. */
function retriesFor(kind: FailureKind, candidatesLeft: number): number {
  if (candidatesLeft === 0) return kind === 'timeout' ? 1 : MAX_RETRIES
  return kind === 'network' ? 1 : 0
}

/** One attempt of a request, for the summary. */
export interface Attempt {
  readonly candidate: Candidate
  readonly failure: ModelFailure
  /** Set if the model was skipped because of a cooldown until then. */
  readonly coolingUntil?: number
}

export interface AllFailed {
  readonly message: string
  readonly attempts: readonly Attempt[]
  /** When the first cooldown ends; null = none. */
  readonly soonestExpiry: number | null
}

/** One error message for a request that no model answered. */
export function summarizeAttempts(attempts: readonly Attempt[], soonestExpiry: number | null, now: number): AllFailed {
  const lines = attempts.map(({ candidate, failure }) => `${refOf(candidate)}: ${failure.message}`)
  const wait = soonestExpiry === null || soonestExpiry <= now ? '' : ` Try again in ${span(soonestExpiry - now)}.`
  const count = attempts.length === 1 ? 'The model did not answer.' : `None of ${attempts.length} models answered.`
  return { message: `${count} ${lines.join(' | ')}${wait}`, attempts, soonestExpiry }
}

function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
