import type { ServerResponse } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import type { AgentInspection, ConversationReading, ConversationSettings, MessageRecord } from '@clawboo/core/executor'
import { conversationKey, runtimeOf, wantAgent } from '../runtimes/find-runner.ts'
import { type AgentSlots, createAgentLanes } from './agent-lanes.ts'
import {
  type ConversationContext,
  type ConversationsOptions,
  changeConversation,
  forgetAgent,
  inspectAgent,
  resetConversation,
  sendAgain,
  stopConversation,
  stopRun,
  withdrawMessage,
} from './conversation-actions.ts'
import { readSettings } from './conversation-settings.ts'
import { createLaneDriver } from './lane-driver.ts'
import { createMessageBook } from './messages.ts'
import { readConversation } from './read-conversation.ts'
import { recoverMessages } from './recover-messages.ts'
import { type SendInput, type SendOutcome, sendMessage } from './send-message.ts'

/** Conversations with agents: every accepted message reaches a run once and in order, and the result can be read. */
export interface Conversations {
  /** Throws `agent_not_found`, `agent_cannot_run`, `runtime_not_found`, `queue_full`, `model_unknown`, `server_stopping`. */
  send(input: SendInput): Promise<SendOutcome>
  /** Throws `message_not_found`, and `message_delivered` when the message is no longer waiting. */
  withdraw(agentId: string, messageId: string): Promise<MessageRecord>
  read(
    agentId: string,
    page: { readonly sessionKey?: string; readonly before?: string; readonly limit: number },
  ): Promise<ConversationReading>
  change(
    agentId: string,
    patch: Partial<ConversationSettings> & { readonly sessionKey?: string },
  ): Promise<ConversationSettings>
  /** Starts a new conversation under the same key. Waiting messages are withdrawn. Throws `agent_busy` during a run. */
  reset(agentId: string, sessionKey?: string): Promise<void>
  stop(
    agentId: string,
    options: { readonly sessionKey?: string; readonly clearQueue?: boolean },
  ): Promise<{ readonly stopped: string | null }>
  /** Throws `run_not_found`. */
  stopRun(runId: string): Promise<{ readonly stopped: string | null }>
  inspect(agentId: string, sessionKey?: string): Promise<AgentInspection>
  /** For a server that starts: delivers messages that an earlier process accepted and did not deliver. */
  recover(): Promise<void>
  /** Ends every run and accepts nothing more. */
  close(): Promise<void>
  /**
   * Ends the work of an agent that is about to be removed. Returns a function to call after the removal, which never
   * rejects: waiting messages are then delivered if the agent is still there.
   */
  forget(agentId: string): Promise<() => Promise<void>>
  /** Takes over the response: the events of the agent's active run so far, then each new one. */
  follow(response: ServerResponse, agentId: string): void
  /** Which agents are busy, shared with tasks and rooms. */
  readonly slots: AgentSlots
}

export function createConversations(options: ConversationsOptions): Conversations {
  const { store, record, runtimes, attention, streams, instance, runs, now = Date.now } = options
  const book = createMessageBook(record, now)
  const lanes = createAgentLanes((agent, sessionKey, own) =>
    createLaneDriver({
      ...options,
      ...own,
      now,
      book,
      agentId: agent.id,
      sessionKey,
      runtimeOf: (found) => runtimeOf(runtimes, found),
    }),
  )
  const context: ConversationContext = { ...options, now, book, lanes }
  let isClosed = false
  /** Until then, a waiting message may be on its way into a lane. */
  let isRecovered = false
  const stopAnswers = attention.onAnswer(async ({ kind, answer, subjectId }) => {
    if (kind === 'message' && answer === 'retry' && subjectId) await sendAgain(context, subjectId)
  })

  return {
    slots: lanes,
    send(input) {
      if (isClosed) throw new ClawbooError('server_stopping', 'the server is stopping; send the message again later')
      return sendMessage({ store, book, runtimes, laneFor: lanes.of, instance, now }, input)
    },
    withdraw: (agentId, messageId) => withdrawMessage(context, agentId, messageId, isRecovered),
    async read(agentId, page) {
      const agent = await wantAgent(store, agentId)
      const sessionKey = conversationKey(agent, page.sessionKey)
      const settings = await readSettings(store, agentId, sessionKey)
      const activeRunId = runs.inConversation(agentId, sessionKey)?.id ?? null
      return readConversation({ store, streams }, { ...page, agentId, sessionKey, settings, activeRunId })
    },
    change: (agentId, patch) => changeConversation(context, agentId, patch),
    reset: (agentId, sessionKey) => resetConversation(context, agentId, sessionKey),
    stop: (agentId, stopping) => stopConversation(context, agentId, stopping),
    stopRun: (runId) => stopRun(context, runId),
    inspect: (agentId, sessionKey) => inspectAgent(context, agentId, sessionKey),
    follow: (response, agentId) => streams.follow(response, agentId),
    async recover() {
      await recoverMessages({ store, book, runtimes, attention, instance, now }, lanes.of)
      isRecovered = true
    },
    forget: (agentId) => forgetAgent(context, agentId),
    async close() {
      isClosed = true
      stopAnswers()
      await lanes.close()
    },
  }
}
