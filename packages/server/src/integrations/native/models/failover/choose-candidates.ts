import { type CooldownEntry, type Cooldowns, coolingUntil, mayProbe, type Subject } from './cooldown.ts'

export interface ChosenCandidate<T extends Subject> {
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
