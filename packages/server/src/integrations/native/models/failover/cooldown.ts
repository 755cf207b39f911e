import type { FailureKind, ModelFailure } from '../model-request.ts'
import type { Candidate } from './failover.ts'

/** A key or one of its models that is not used for a while after a failure. */
export interface CooldownEntry {
  readonly provider: string
  /** A fingerprint of the key, so that a new key has no cooldown. */
  readonly key: string
  /** null = the key with all its models. */
  readonly model: string | null
  readonly kind: FailureKind
  readonly count: number
  readonly since: number
  readonly until: number
}

/** Immutable: every change returns a new object. */
export interface Cooldowns {
  readonly entries: readonly CooldownEntry[]
  /** When a provider was last tried during its cooldown. */
  readonly probedAt: Readonly<Record<string, number>>
}

/** A model with a certain key. */
export interface Subject extends Candidate {
  readonly key: string
}

export const noCooldowns = (): Cooldowns => ({ entries: [], probedAt: {} })

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const TRANSIENT_MS = [30 * SECOND, MINUTE, 5 * MINUTE] as const

/** null = no cooldown: an abort, an invalid request, an overflow or a refused connection has another cause. */
function windowMs(kind: FailureKind, count: number): number | null {
  switch (kind) {
    case 'rate_limit':
    case 'overloaded':
    case 'timeout':
      return TRANSIENT_MS[Math.min(count, TRANSIENT_MS.length) - 1]!
    case 'billing':
      return Math.min(5 * HOUR * 2 ** (count - 1), 24 * HOUR)
    case 'auth':
      return Math.min(10 * MINUTE * 2 ** (count - 1), HOUR)
    default:
      return null
  }
}

const isOfKey = (kind: FailureKind): boolean => kind === 'auth' || kind === 'billing'

/**
 * Records a failure of a call that started at `startedAt`. A call that was already running when the cooldown began does not
 * extend it, so that ten concurrent calls count as one.
 */
export function noteFailure(
  state: Cooldowns,
  subject: Subject,
  failure: ModelFailure,
  startedAt: number,
  now: number,
): Cooldowns {
  const model = isOfKey(failure.kind) ? null : subject.model
  const known = state.entries.find((entry) => isSame(entry, subject, model))
  const isRunning = known !== undefined && known.until > now
  if (isRunning && known.kind === failure.kind && startedAt < known.since) return state
  const isSameLadder = isRunning && (known.kind === failure.kind || !isOfKey(failure.kind))
  const count = isSameLadder ? known.count + 1 : 1
  const window = windowMs(failure.kind, count)
  if (window === null) return state
  const requested = Math.min(failure.retryAfterMs ?? 0, TRANSIENT_MS[2])
  const until = Math.max(now + Math.max(window, requested), isRunning ? known.until : 0)
  const { provider, key } = subject
  const entry: CooldownEntry = { provider, key, model, kind: failure.kind, count, since: now, until }
  return { ...state, entries: [...state.entries.filter((other) => other !== known && other.until > now), entry] }
}

/** An answer ends the cooldown of its model and of its key. */
export function noteSuccess(state: Cooldowns, subject: Subject): Cooldowns {
  const left = state.entries.filter((entry) => !isSame(entry, subject, null) && !isSame(entry, subject, subject.model))
  return left.length === state.entries.length ? state : { ...state, entries: left }
}

export function noteProbe(state: Cooldowns, provider: string, now: number): Cooldowns {
  return { ...state, probedAt: { ...state.probedAt, [provider]: now } }
}

export function clearProvider(state: Cooldowns, provider: string): Cooldowns {
  const { [provider]: _, ...probedAt } = state.probedAt
  return { entries: state.entries.filter((entry) => entry.provider !== provider), probedAt }
}

/** The cooldown that ends last; null = none. */
export function coolingUntil(state: Cooldowns, subject: Subject, now: number): CooldownEntry | null {
  const running = state.entries.filter(
    (entry) => entry.until > now && (isSame(entry, subject, null) || isSame(entry, subject, subject.model)),
  )
  return running.reduce<CooldownEntry | null>(
    (latest, entry) => (latest && latest.until >= entry.until ? latest : entry),
    null,
  )
}

const PROBE_BEFORE_EXPIRY_MS = 2 * MINUTE
const PROBE_EVERY_MS = 30 * SECOND

/** Whether a model can be tried during its cooldown when everything is cooling down: near its end and not too often. */
export function mayProbe(state: Cooldowns, subject: Subject, now: number): boolean {
  const entry = coolingUntil(state, subject, now)
  if (entry === null) return true
  const last = state.probedAt[subject.provider] ?? Number.NEGATIVE_INFINITY
  return entry.until - now <= PROBE_BEFORE_EXPIRY_MS && now - last >= PROBE_EVERY_MS
}

const isSame = (entry: CooldownEntry, subject: Subject, model: string | null): boolean =>
  entry.provider === subject.provider && entry.key === subject.key && entry.model === model

interface ChosenCandidate<T extends Subject> {
  readonly subject: T
  /** Why it is tried during its cooldown: all candidates are cooling down, or a person chose it; null = no cooldown. */
  readonly despiteCooldown: 'probe' | 'chosen' | null
}

export interface CandidatePlan<T extends Subject> {
  readonly ready: readonly ChosenCandidate<T>[]
  readonly cooling: readonly { readonly subject: T; readonly entry: CooldownEntry }[]
}

/**
 * Decides which candidates are tried now. A person's choice is tried even during its cooldown: the person may know what
 * changed. When all candidates are cooling down, the first can be probed, once per provider and run.
 */
export function chooseCandidates<T extends Subject>(
  chain: readonly T[],
  state: Cooldowns,
  now: number,
  options: { readonly isStrict: boolean; readonly probed?: ReadonlySet<string> | undefined },
): CandidatePlan<T> {
  const ready: ChosenCandidate<T>[] = []
  const cooling: { subject: T; entry: CooldownEntry }[] = []
  for (const subject of chain) {
    const entry = coolingUntil(state, subject, now)
    if (entry === null) ready.push({ subject, despiteCooldown: null })
    else cooling.push({ subject, entry })
  }
  const first = chain[0]
  if (ready.length > 0 || first === undefined) return { ready, cooling }
  const isProbed = !options.probed?.has(first.provider) && mayProbe(state, first, now)
  if (!options.isStrict && !isProbed) return { ready, cooling }
  return {
    ready: [{ subject: first, despiteCooldown: options.isStrict ? 'chosen' : 'probe' }],
    cooling: cooling.slice(1),
  }
}
