import type { WorkspaceState } from './workspace-state.ts'

/** What can be seen of a workspace when it is about to be used. */
export interface RitualFacts {
  readonly state: WorkspaceState | null | 'unreadable'
  /** Hash of the ritual's file; null = there is none. */
  readonly ritualSha256: string | null
  /** Hash over what the ritual fills in: profile files and memory. */
  readonly profileSha256: string
  /** Nobody has worked here: nothing but texts that a new workspace is given. */
  readonly isBrandNew: boolean
  /** ISO time. */
  readonly now: string
}

export interface RitualDecision {
  readonly action: 'none' | 'write' | 'delete'
  /** After the action. */
  readonly state: WorkspaceState
}

/**
 * What becomes of the ritual. It is written once, into a brand-new workspace. It is over when its file is gone or when
 * what it fills in has changed since it began, and then it is over for good. Only the runtime's own, unchanged text is
 * ever deleted.
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

/** A lost memory of the workspace must not bring the ritual back, nor end one that waits. */
function knownState({ state, profileSha256, now }: RitualFacts): WorkspaceState {
  if (state === 'unreadable') return { version: 1, bootstrapSeededAt: now, profileSha256 }
  return state ?? { version: 1 }
}

export interface RitualRun {
  /** A person started it and reads the answers. */
  readonly interactive: boolean
  readonly trigger: 'message' | 'heartbeat' | 'cron'
  /** The agent's main session, not a sub-agent's. */
  readonly primary: boolean
  /** The run has tools that can read and change the file, in the agent's own workspace. */
  readonly canReachFile: boolean
}

/** How much of a pending ritual a run is told of. */
export type RitualMode = 'none' | 'limited' | 'full'

export function ritualMode(pending: boolean, run: RitualRun): RitualMode {
  if (!pending || run.trigger !== 'message' || !run.primary || !run.interactive) return 'none'
  return run.canReachFile ? 'full' : 'limited'
}
