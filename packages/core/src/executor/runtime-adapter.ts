import type { AgentRecord, ParticipantKind, RuntimeId } from '../registry/index.ts'
import type { AgentInspection } from './agent-inspection.ts'
import type { Capabilities } from './capabilities.ts'
import type { RunGuard } from './run-guard.ts'
import type { RuntimeEvent } from './runtime-event.ts'
import type { WorkspaceView } from './workspace-view.ts'

/**
 * How an agent runs: one runtime behind one interface.
 *
 * - `start` resolves when the run exists, and rejects when nothing of it does. The host names the run; whatever the
 *   runtime calls it is its own affair.
 * - `events` subscribes at the call, not at the first `next`, and has one consumer. It replays nothing before the call,
 *   so the host calls it in the same tick in which `start` resolved. Exactly one `done` or fatal `error` is its last
 *   event, also when the run was aborted or its process died. `seq` strictly increases.
 * - A prompt counts as delivered when `prompt-delivered` was emitted for it, and from then on it survives a crash. What
 *   was accepted and not delivered, the run's own prompt included, stands in `undelivered` of the last event.
 * - `steer` answers at once. Accepted means: in this run, or in `undelivered`. After the last event it is refused.
 * - After `abort` the run ends as `aborted` and calls no model again. Aborting what has ended does nothing.
 * - Optional methods are there exactly when the capability that names them is claimed.
 */
export interface RuntimeAdapter {
  readonly id: RuntimeId
  readonly participantKind: ParticipantKind
  capabilities(): Capabilities
  health(): Promise<RuntimeHealth>
  start(task: TaskHandle, options: StartOptions): Promise<RunHandle>
  events(run: RunHandle): AsyncIterable<RuntimeEvent>
  abort(run: RunHandle): Promise<void>
  /** Exactly when `capabilities().steering`. */
  steer?(run: RunHandle, prompt: Prompt): Promise<SteerOutcome>
  /**
   * Exactly when `capabilities().models`. Holds from the next model call on, or from the next run: `modelHoldsFrom` says.
   * The host names it in every start that it is for; one that names none has the agent's own model.
   */
  setModel?(run: RunHandle, model: string): Promise<void>
  /** The models it knows, by the names it takes. Absent: its agents call the models of the host. */
  listModels?(): Promise<readonly RuntimeModel[]>
  /** Whether it can use a model: null, or why not and what to type. */
  checkModel?(model: string): Promise<string | null>
  /** Exactly when `capabilities().toolApproval`. False: nobody asks that any more. */
  answerApproval?(run: RunHandle, approvalId: string, answer: ApprovalAnswer): Promise<boolean>
  /** Exactly when `capabilities().resume`. */
  readonly sessionCodec?: SessionCodec
  /** Whether a prompt is in the runtime's record of a conversation. Absent: it cannot be known after a crash. */
  hasPrompt?(agent: AgentRecord, sessionKey: string, promptId: string): Promise<boolean>
  /**
   * Ends what a run of this conversation may still do although its host has died; what is not to be reached now, as soon
   * as it is. Absent: no run outlives its host.
   */
  endOrphan?(agent: AgentRecord, sessionKey: string): Promise<void>
  /** Begins the conversation anew; what was said stays on disk. */
  resetSession?(agent: AgentRecord, sessionKey: string): Promise<void>
  /** What would go into the agent's next turn, and why. */
  inspect?(agent: AgentRecord, sessionKey: string): Promise<AgentInspection>
  /** What lies in the folder an agent works in. Absent: the host cannot look into it. */
  workspace?(agent: AgentRecord): WorkspaceView
  /** Frees what it holds for an agent that is gone. */
  forget?(agentId: string): Promise<void>
  dispose?(): Promise<void>
}

/** A model of a runtime that has its own. */
export interface RuntimeModel {
  /** As `setModel` and the cost events name it. */
  readonly ref: string
  readonly label: string
}

export interface RuntimeHealth {
  readonly state: 'ready' | 'needs-setup' | 'unavailable'
  readonly detail: string | null
}

/** What is to be done, and by whom. */
export interface TaskHandle {
  readonly agent: AgentRecord
  readonly sessionKey: string
  readonly prompt: Prompt
}

/** Something said to an agent. The id makes a second delivery recognisable. */
export interface Prompt {
  readonly id: string
  readonly text: string
}

export interface StartOptions {
  readonly runId: string
  /** A person's own choice for this run: it never falls over to another model. */
  readonly model?: string
  readonly guard: RunGuard
  /** Whether somebody can answer an approval. Without one, what needs approval is denied. */
  readonly approver: boolean
  /** How much of its tools' work is summed up for a person; absent = what the agent's settings say. */
  readonly verbose?: 'off' | 'on' | 'full'
  /** What `sessionCodec.encode` gave at the end of the conversation's last run. */
  readonly resume: string | null
  /** Absolute: where the work is. The agent's own workspace when absent, and for a runtime that claims no `worktrees`. */
  readonly folder?: string
  /** What the host offers this run beside the runtime's own tools. A runtime that claims no `mcp` is given none. */
  readonly hostTools?: HostTools
}

/** The host's tools for one run, already bound to who it is: no argument says on whose behalf they act. */
export interface HostTools {
  /** For a runtime in this process. */
  readonly tools: readonly HostTool[]
  /** null when the run has no such tool. Never rejects. */
  call(call: HostToolCall): Promise<HostToolAnswer | null>
  /** For any other: MCP servers over HTTP, and the run's own credential for them, good until the run has ended. */
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  /** Given out once it is asked for. */
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
 * Keeps a conversation's whereabouts as text. `encode` needs no more than the `sessionId` of the run's last event, also
 * when the run is long over. `decode` of anything that is not its own gives null.
 */
export interface SessionCodec {
  encode(run: RunHandle): string | null
  decode(text: string): { readonly sessionId: string } | null
}
