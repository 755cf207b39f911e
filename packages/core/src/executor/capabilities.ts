/** What a runtime claims. A claim is tested in both directions; the host routes on claims, never on a runtime's name. */
export interface Capabilities {
  /** Text arrives while it is made. */
  readonly streaming: boolean
  /** Takes MCP servers for a run. */
  readonly mcp: boolean
  /** Works in a folder the host gives it. */
  readonly worktrees: boolean
  /** Goes on with an earlier conversation: then it has a `sessionCodec`. */
  readonly resume: boolean
  /** Takes a message while it works: then it has `steer`. */
  readonly steering: boolean
  /** Asks a person before it acts: then it has `answerApproval`. */
  readonly toolApproval: boolean
  /** Takes a model by name, also while it works: then it has `setModel`. */
  readonly models: boolean
  /** From when on a model holds that is chosen while it works. Absent: from the next call. */
  readonly modelHoldsFrom?: 'call' | 'run'
  /**
   * With what its agents keep quiet in a room. Absent: `NO_REPLY`. The other one is for a runtime that takes that for an
   * answer still to come, and asks the model again.
   */
  readonly passToken?: 'NO_REPLY' | 'NOTHING_TO_SAY'
  readonly contextWindowTokens?: number
  readonly runtimeClass: RuntimeClass
  /** Keeps private state in a home of its own. */
  readonly nativeHome?: boolean
  readonly nativeSkills?: boolean
  readonly nativeMemory?: boolean
  readonly nativeChannels?: boolean
}

/**
 * connected-substrate: a long-lived program the host talks to. native: a participant of the host with a home per agent.
 * wrapped-oneshot: a process per run.
 */
export type RuntimeClass = 'connected-substrate' | 'native' | 'wrapped-oneshot'
