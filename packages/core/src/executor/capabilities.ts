/** What a runtime can do. A claim is tested both ways; the host decides by claims, never by a runtime's name. */
export interface Capabilities {
  /** Text arrives while the model writes it. */
  readonly streaming: boolean
  /** Takes MCP servers for a run. */
  readonly mcp: boolean
  /** Works in a folder that the host names. */
  readonly worktrees: boolean
  /** Continues an earlier conversation: then it has a `sessionCodec`. */
  readonly resume: boolean
  /** Takes a message while it works: then it has `steer`. */
  readonly steering: boolean
  /** Asks a person before it acts: then it has `answerApproval`. */
  readonly toolApproval: boolean
  /** Takes a model by name, also while it works: then it has `setModel`. */
  readonly models: boolean
  /** Asks the guard before each model call. Otherwise the host ends the run at the event that crosses a limit. */
  readonly asksBeforeModelCall: boolean
  /** The text of the agent's files reaches the model. */
  readonly readsFiles: boolean
  /** The agent's files lie in `workspace` in its home, and the agent edits them there. */
  readonly workingCopies: boolean
  /** Its agents call models that it lists itself, not those of the host: then it has `listModels`. */
  readonly ownModels: boolean
  /** Shows what goes into an agent's next run: then it has `inspect`. */
  readonly inspectable: boolean
  /** A person can look into the folder an agent works in: then it has `workspace`. */
  readonly hasWorkspace: boolean
  /** A run can go on after the server has died: then it has `endOrphan`. */
  readonly outlivesHost: boolean
  /** When a model takes effect that is chosen while the agent works. Absent: at the next call. */
  readonly modelHoldsFrom?: 'call' | 'run'
  /** The word by which its agents pass a turn in a room. Absent: `NO_REPLY`, unless that word has a meaning of its own in the runtime. */
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

/** The claims that are a plain yes or no, and that less may be agreed of. */
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

/** A runtime that can do nothing beyond a run. */
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

/** The capabilities that were claimed and are not in what was agreed. */
export function missingCapabilities(claims: Capabilities, agreed: Capabilities): readonly Capability[] {
  return CAPABILITIES.filter((capability) => claims[capability] && !agreed[capability])
}
