import type { ServerResponse } from 'node:http'
import type {
  AgentInspection,
  ConversationReading,
  ConversationSettings,
  MessageMode,
  MessageRecord,
  MessageVerdict,
} from '@clawboo/core/executor'

/** Talking to agents: what is said reaches a run, in order, once, and what came of it can be read. */
export interface Conversations {
  /** Throws `agent_not_found`, `agent_cannot_run`, `runtime_not_found`, `queue_full`, `model_unknown`, `server_stopping`. */
  send(input: SendInput): Promise<SendOutcome>
  /** Throws `message_not_found`, and `message_delivered` when it no longer waits. */
  withdraw(agentId: string, messageId: string): Promise<MessageRecord>
  read(
    agentId: string,
    page: { readonly sessionKey?: string; readonly before?: string; readonly limit: number },
  ): Promise<ConversationReading>
  change(
    agentId: string,
    patch: Partial<ConversationSettings> & { readonly sessionKey?: string },
  ): Promise<ConversationSettings>
  /** Begins anew behind what was said before. What still waits is withdrawn. Throws `agent_busy` while a run is under way. */
  reset(agentId: string, sessionKey?: string): Promise<void>
  stop(
    agentId: string,
    options: { readonly sessionKey?: string; readonly clearQueue?: boolean },
  ): Promise<{ readonly stopped: string | null }>
  /** Throws `run_not_found`. */
  stopRun(runId: string): Promise<{ readonly stopped: string | null }>
  inspect(agentId: string, sessionKey?: string): Promise<AgentInspection>
  /** Delivers what an earlier process accepted and did not deliver. For a server that starts. */
  recover(): Promise<void>
  /** Ends every run and takes nothing more. */
  close(): Promise<void>
  /**
   * Ends what an agent does; for one that is about to be removed. What waits for it stays as it is until the answer is
   * called, and then is delivered if the agent is still there. The answer never rejects.
   */
  forget(agentId: string): Promise<() => Promise<void>>
  /** Takes over the response: what the agent's active run told so far, then what it tells. */
  follow(response: ServerResponse, agentId: string): void
}

export interface SendInput {
  readonly agentId: string
  /** Made by the sender: the same id again gives the first outcome. */
  readonly id?: string
  readonly text: string
  readonly sessionKey?: string
  readonly mode?: MessageMode
  readonly model?: string
}

export interface SendOutcome {
  readonly message: MessageRecord
  readonly verdict: MessageVerdict
  readonly runId: string | null
}
