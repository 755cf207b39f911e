import type { AgentFileName, AgentRecord, ParticipantKind, RuntimeId } from '../registry/index.ts'
import type { Capabilities } from './capabilities.ts'
import type { RunGuard } from './run-guard.ts'
import type { RuntimeEvent } from './runtime-event.ts'

/**
 * How an agent runs: one runtime behind one interface.
 *
 * - The host gives a run everything it needs: the agent's record and files, the prompt, a home, a working folder, the
 *   host's tools. An adapter fetches none of it.
 * - `start` resolves when the run exists. If it rejects, nothing of the run remains. The host chooses the run's id; the
 *   runtime's own id stays inside the adapter.
 * - `events` subscribes at the call, not at the first `next`, and has one consumer. Events from before the call are
 *   lost, so the host calls it in the tick in which `start` resolves. Exactly one `done` or fatal `error` is its last
 *   event, even if the run was aborted or its process died. `seq` strictly increases.
 * - A prompt counts as delivered when `prompt-delivered` was emitted for it, and from then on it survives a crash. Each
 *   prompt that was accepted and not delivered, the run's own included, is in `undelivered` of the last event.
 * - `steer` answers at once. Accepted means: in this run, or in `undelivered`. After the last event it is refused.
 * - After `abort` the run ends as `aborted` and calls no model again. Aborting an ended run does nothing.
 * - An optional method exists exactly when the runtime's claims name it.
 */
export interface RuntimeAdapter {
  readonly id: RuntimeId
  readonly participantKind: ParticipantKind
  /**
   * The capabilities agreed for this agent: the claims of the descriptor, or fewer if a handshake showed that the
   * program supports fewer. Never more than the claims. Constant during a run of the agent.
   */
  capabilities(agent: AgentRecord): Capabilities
  health(): Promise<RuntimeHealth>
  start(task: TaskHandle, options: StartOptions): Promise<RunHandle>
  events(run: RunHandle): AsyncIterable<RuntimeEvent>
  abort(run: RunHandle): Promise<void>
  /** Exactly when `steering` is claimed. */
  steer?(run: RunHandle, prompt: Prompt): Promise<SteerOutcome>
  /**
   * Exactly when `models` is claimed. Takes effect at the next model call, or at the next run: see `modelHoldsFrom`.
   * The host passes the model to every start that should use it; a start without a model uses the agent's own.
   */
  setModel?(run: RunHandle, model: string): Promise<void>
  /** Exactly when `ownModels` is claimed. Lists the runtime's models by the names it accepts. */
  listModels?(): Promise<readonly RuntimeModel[]>
  /** Returns null if the model can be used; otherwise the reason, and the name to use instead. */
  checkModel?(model: string): Promise<string | null>
  /** Exactly when `toolApproval` is claimed. Returns false when the approval is no longer open. */
  answerApproval?(run: RunHandle, approvalId: string, answer: ApprovalAnswer): Promise<boolean>
  /** Exactly when `resume` is claimed. */
  readonly sessionCodec?: SessionCodec
  /** Whether a prompt is in the runtime's record of a conversation. Absent: unknown after a crash. */
  hasPrompt?(agent: AgentRecord, sessionKey: string, promptId: string): Promise<boolean>
  /**
   * Exactly when `outlivesHost` is claimed. Ends a run of this conversation whose host has died. If the program is
   * unreachable, ends the run once it is reachable.
   */
  endOrphan?(agent: AgentRecord, sessionKey: string): Promise<void>
  /** Starts a new conversation under the same key; the earlier messages stay on disk. */
  resetSession?(agent: AgentRecord, sessionKey: string): Promise<void>
  /** Exactly when `inspectable` is claimed. Shows the input of the agent's next run, with reasons. */
  inspect?(agent: AgentRecord, sessionKey: string): Promise<AgentInspection>
  /** Exactly when `hasWorkspace` is claimed. Shows the folder that an agent works in. */
  workspace?(agent: AgentRecord): WorkspaceView
  /** Frees the state of a deleted agent. */
  forget?(agentId: string): Promise<void>
  dispose?(): Promise<void>
}

/** A model of a runtime that has its own. */
export interface RuntimeModel {
  /** The name that `setModel` and the cost events use. */
  readonly ref: string
  readonly label: string
}

export interface RuntimeHealth {
  readonly state: 'ready' | 'needs-setup' | 'unavailable'
  readonly detail: string | null
}

/** The work of one run and its agent. */
export interface TaskHandle {
  readonly agent: AgentRecord
  readonly files: AgentFileTexts
  readonly sessionKey: string
  readonly prompt: Prompt
}

/**
 * The current text of every agent file; null = never written. For an agent with files at an upstream, these are the
 * last revisions that were stored here.
 */
export type AgentFileTexts = Readonly<Record<AgentFileName, string | null>>

/** A message to an agent. The id makes a second delivery recognisable. */
export interface Prompt {
  readonly id: string
  readonly text: string
}

export interface StartOptions {
  readonly runId: string
  /** A person's own choice for this run, so no fallback model is used. */
  readonly model?: string
  readonly guard: RunGuard
  /** How much of its tool use the run summarises for a person. Absent: the agent's settings apply. */
  readonly verbose?: 'off' | 'on' | 'full'
  /** The text that `sessionCodec.encode` returned at the end of the conversation's last run. */
  readonly resume: string | null
  /**
   * An absolute folder for the runtime's private state. It lasts as long as the agent or the run, depending on the
   * integration plan. null for a runtime with a home outside the host.
   */
  readonly home: string | null
  /** The absolute folder to work in. null = the agent's own workspace; always null for a runtime that claims no `worktrees`. */
  readonly folder: string | null
  /** Files and folders elsewhere that programs in `folder` must read, such as the repository of a worktree. */
  readonly folderReads?: readonly FolderRead[]
  /** The host's tools for this run. Absent for a runtime that claims no `mcp`. */
  readonly hostTools?: HostTools
}

/** A file or folder at an absolute path. A confined program sees `from` in its place. */
export interface FolderRead {
  readonly path: string
  readonly from?: string
}

/** The host's tools for one run. They always act for the run's agent; no argument can change that. */
export interface HostTools {
  /** For a runtime in the host's process. */
  readonly tools: readonly HostTool[]
  /** null when the run has no such tool. Never rejects. */
  call(call: HostToolCall): Promise<HostToolAnswer | null>
  /** For any other runtime: MCP servers over HTTP, and the run's credential for them, valid until the run ends. */
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  /** Issued at the first call. */
  credential(): Promise<string>
}

export interface HostTool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: unknown
  readonly isReadOnly: boolean
}

export interface HostToolCall {
  readonly name: string
  readonly args: unknown
  readonly signal: AbortSignal
}

export interface HostToolAnswer {
  readonly text: string
  readonly isError: boolean
}

export interface RunHandle {
  readonly runId: string
  /** The runtime's own id of the conversation; null until it is known. */
  readonly sessionId: string | null
}

export type SteerOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: 'no_active_run' | 'not_streaming' | 'compacting' | 'runtime_rejected' }

export type ApprovalAnswer = 'allow-once' | 'allow-always' | 'deny'

/**
 * Converts the position of a conversation to text. `encode` needs only the `sessionId` of the run's last event, and
 * also works long after the run. `decode` returns null for a text that `encode` did not create.
 */
export interface SessionCodec {
  encode(run: RunHandle): string | null
  decode(text: string): { readonly sessionId: string } | null
}

/** The input of an agent's next run, in a form that a page can show for any runtime. */
export interface AgentInspection {
  readonly model: { readonly ref: string; readonly problem: string | null }
  readonly files: readonly InspectedFile[]
  readonly skills: readonly InspectedSkill[]
  readonly tools: readonly InspectedTool[]
  /** The rules for commands with their reasons, one per line. */
  readonly commandPolicy: readonly string[]
  readonly systemPromptCharacters: number
}

export interface InspectedFile {
  readonly name: string
  readonly characters: number
  readonly injectedCharacters: number
  /** null = the whole file is included. */
  readonly problem: string | null
  /** Headings that are missing or truncated. */
  readonly lostHeadings: readonly string[]
}

export interface InspectedSkill {
  readonly name: string
  readonly description: string
  readonly location: string
  readonly eligible: boolean
  /** Why the skill is unusable, shortened or excluded from the prompt; null = included. */
  readonly problem: string | null
}

export interface InspectedTool {
  readonly name: string
  readonly allowed: boolean
  readonly reason: string
}

/** How many entries of one folder are shown. */
export const WORKSPACE_MAX_ENTRIES = 1000

/** How much of one file is shown. */
export const WORKSPACE_MAX_BYTES = 256 * 1024

/**
 * A view of the folder that an agent works in. Paths are relative to it; `''` is the folder itself. Links are not
 * followed, and paths that leave the folder are refused with `path_refused`.
 */
export interface WorkspaceView {
  /** null when the folder does not exist. The root always exists but may be empty. */
  list(path: string): Promise<WorkspaceListing | null>
  /** null when there is no such file. */
  read(path: string): Promise<WorkspaceFile | null>
}

export interface WorkspaceListing {
  /** Folders first, then by name. */
  readonly entries: readonly WorkspaceEntry[]
  /** More entries exist than `entries` contains. */
  readonly truncated: boolean
}

export interface WorkspaceEntry {
  readonly name: string
  /** `other`: an entry that cannot be opened, such as a link. */
  readonly kind: 'file' | 'folder' | 'other'
  /** null unless it is a file. */
  readonly bytes: number | null
  readonly modifiedAt: number
}

export interface WorkspaceFile {
  /** The size of the whole file. */
  readonly bytes: number
  readonly modifiedAt: number
  /** null when the content is not UTF-8 text. */
  readonly text: string | null
  /** `text` is only the beginning of the file. */
  readonly truncated: boolean
}
