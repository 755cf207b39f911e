import { type CooldownEntry, type Cooldowns, coolingUntil, mayProbe, type Subject } from './cooldown.ts'

export interface ChosenCandidate<T extends Subject> {
  readonly subject: T
  /** Why it is tried although it rests: everything does, or a person chose it; null = it does not rest. */
  readonly despiteRest: 'probe' | 'chosen' | null
}

export interface CandidatePlan<T extends Subject> {
  readonly ready: readonly ChosenCandidate<T>[]
  readonly resting: readonly { readonly subject: T; readonly entry: CooldownEntry }[]
}

/**
 * Which candidates are tried now. A single one that a person chose is tried although it rests: the person may know
 * what changed. When all rest, the first may be probed, once per provider and run.
 */
export function chooseCandidates<T extends Subject>(
  chain: readonly T[],
  state: Cooldowns,
  now: number,
  options: { readonly isStrict: boolean; readonly probed?: ReadonlySet<string> | undefined },
): CandidatePlan<T> {
  const ready: ChosenCandidate<T>[] = []
  const resting: { subject: T; entry: CooldownEntry }[] = []
  for (const subject of chain) {
    const entry = coolingUntil(state, subject, now)
    if (entry === null) ready.push({ subject, despiteRest: null })
    else resting.push({ subject, entry })
  }
  const first = chain[0]
  if (ready.length > 0 || first === undefined) return { ready, resting }
  const isProbed = !options.probed?.has(first.provider) && mayProbe(state, first, now)
  if (!options.isStrict && !isProbed) return { ready, resting }
  return { ready: [{ subject: first, despiteRest: options.isStrict ? 'chosen' : 'probe' }], resting: resting.slice(1) }
}
