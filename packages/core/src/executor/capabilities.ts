/**
 * The capabilities of a runtime. Every claim is tested in both directions; the host decides by claims, never by a
 * runtime's name.
 */
export interface Capabilities {
  /** Text arrives while the model writes it. */
  readonly streaming: boolean
  /** Accepts MCP servers for a run. */
  readonly mcp: boolean
  /** Works in a folder that the host names. */
  readonly worktrees: boolean
  /** Continues an earlier conversation. Requires `sessionCodec`. */
  readonly resume: boolean
  /** Accepts a message during a run. Requires `steer`. */
  readonly steering: boolean
  /** Asks a person before it acts. Requires `answerApproval`. */
  readonly toolApproval: boolean
  /** Accepts a model by name, even during a run. Requires `setModel`. */
  readonly models: boolean
  /** Asks the guard before each model call. Otherwise the host ends the run at the event that crosses a limit. */
  readonly asksBeforeModelCall: boolean
  /** The text of the agent's files reaches the model. */
  readonly readsFiles: boolean
  /** The agent's files are in `workspace` in its home, and the agent edits them there. */
  readonly workingCopies: boolean
  /** The runtime's agents call the runtime's own models, not the host's. Requires `listModels`. */
  readonly ownModels: boolean
  /** Shows the input of an agent's next run. Requires `inspect`. */
  readonly inspectable: boolean
  /** A person can browse the folder that an agent works in. Requires `workspace`. */
  readonly hasWorkspace: boolean
  /** A run can continue after the server has died. Requires `endOrphan`. */
  readonly outlivesHost: boolean
  /** When a model that is chosen during a run takes effect. Absent: at the next model call. */
  readonly modelHoldsFrom?: 'call' | 'run'
  /**
   * The word with which its agents pass a turn in a room. Absent: `NO_REPLY`. Set it when the runtime gives that word
   * its own meaning.
   */
  readonly passToken?: 'NO_REPLY' | 'NOTHING_TO_SAY'
  readonly runtimeClass: RuntimeClass
  /** Stores private state in a home of its own. */
  readonly nativeHome?: boolean
  readonly nativeSkills?: boolean
  readonly nativeMemory?: boolean
  readonly nativeChannels?: boolean
}

/**
 * connected-substrate: a long-lived program that the host drives over a connection. native: a participant of the host
 * with a home per agent. wrapped-oneshot: a process per run.
 */
export type RuntimeClass = 'connected-substrate' | 'native' | 'wrapped-oneshot'

/** The boolean claims. A handshake can switch each of them off for an agent. */
export const CAPABILITIES = [
  'streaming',
  'mcp',
  'worktrees',
  'resume',
  'steering',
  'toolApproval',
  'models',
  'asksBeforeModelCall',
  'readsFiles',
  'workingCopies',
  'ownModels',
  'inspectable',
  'hasWorkspace',
  'outlivesHost',
] as const satisfies readonly (keyof Capabilities)[]

export type Capability = (typeof CAPABILITIES)[number]

/** A runtime that can only run a prompt. */
export const NO_CAPABILITIES: Capabilities = {
  streaming: false,
  mcp: false,
  worktrees: false,
  resume: false,
  steering: false,
  toolApproval: false,
  models: false,
  asksBeforeModelCall: false,
  readsFiles: false,
  workingCopies: false,
  ownModels: false,
  inspectable: false,
  hasWorkspace: false,
  outlivesHost: false,
  runtimeClass: 'wrapped-oneshot',
}

/** The capabilities that were claimed but not agreed. */
export function missingCapabilities(claims: Capabilities, agreed: Capabilities): readonly Capability[] {
  return CAPABILITIES.filter((capability) => claims[capability] && !agreed[capability])
}
