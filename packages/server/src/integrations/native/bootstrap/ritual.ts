import type { WorkspaceState } from './workspace-state.ts'

/** The state of a workspace before a run. */
export interface RitualFacts {
  readonly state: WorkspaceState | null | 'unreadable'
  /** Hash of BOOTSTRAP.md; null = no such file. */
  readonly ritualSha256: string | null
  /** Hash of the files that the ritual fills in: profile and memory. */
  readonly profileSha256: string
  /** The workspace has no files except unchanged seed files. */
  readonly isBrandNew: boolean
  /** ISO time. */
  readonly now: string
}

export interface RitualDecision {
  readonly action: 'none' | 'write' | 'delete'
  /** The state after the action. */
  readonly state: WorkspaceState
}

/**
 * Decides the next step of the ritual. BOOTSTRAP.md is written once, into a brand-new workspace. The ritual ends
 * permanently when that file was deleted or the files that it fills in have changed. The runtime deletes BOOTSTRAP.md
 * only if it wrote the file itself and the file is unchanged.
 */
export function decideRitual(facts: RitualFacts): RitualDecision {
  const { ritualSha256, now } = facts
  let state = knownState(facts)
  if (state.setupCompletedAt !== undefined) return { action: 'none', state }
  if (ritualSha256 !== null && state.bootstrapSeededAt === undefined) {
    state = { ...state, bootstrapSeededAt: now, profileSha256: facts.profileSha256 }
  }
  if (state.bootstrapSeededAt === undefined) {
    return facts.isBrandNew
      ? { action: 'write', state: { ...state, bootstrapSeededAt: now } }
      : { action: 'none', state: { ...state, setupCompletedAt: now } }
  }
  if (ritualSha256 === null) return { action: 'none', state: { ...state, setupCompletedAt: now } }
  if (state.profileSha256 === facts.profileSha256) return { action: 'none', state }
  const isOurs = state.bootstrapSha256 === ritualSha256
  return { action: isOurs ? 'delete' : 'none', state: { ...state, setupCompletedAt: now } }
}

/** An unreadable state must neither restart a finished ritual nor end a pending one. */
function knownState({ state, profileSha256, now }: RitualFacts): WorkspaceState {
  if (state === 'unreadable') return { version: 1, bootstrapSeededAt: now, profileSha256 }
  return state ?? { version: 1 }
}

export interface RitualRun {
  /** The run belongs to a conversation with a person, not to a room or a task. */
  readonly withPerson: boolean
  /** The run works in the agent's own workspace, so its tools can read and change the file. */
  readonly canReachFile: boolean
}

/** How much the prompt of a run says about a pending ritual. */
export type RitualMode = 'none' | 'limited' | 'full'

export function ritualMode(pending: boolean, run: RitualRun): RitualMode {
  if (!pending || !run.withPerson) return 'none'
  return run.canReachFile ? 'full' : 'limited'
}
