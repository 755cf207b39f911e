import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import type {
  AcceptResult,
  ConversationReading,
  ConversationSettings,
  MessageMode,
  MessageRecord,
  MessageVerdict,
  RunDetail,
} from '@clawboo/core/executor'
import { currentActor } from '../../access/actor.ts'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { agentNotFound, runtimeOf, sessionKeyOf, wantAgent, wantModel } from '../runtimes/find-runner.ts'
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
import { queueSettings, readBeginning, readSettings } from './conversation-settings.ts'
import { createLaneDriver } from './lane-driver.ts'
import { createMessageBook, listMessages, messageRecord } from './messages.ts'
import { recoverMessages } from './recover-messages.ts'

interface SendInput {
  readonly agentId: string
  /** Chosen by the sender: sending the same id again returns the first outcome. */
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

export type Conversations = ReturnType<typeof createConversations>

/** Conversations with agents: every accepted message reaches a run once and in order, and the result can be read. */
export function createConversations(options: ConversationsOptions) {
  const { store, record, attention, streams, now = Date.now } = options
  const book = createMessageBook(record, now)
  const lanes = createAgentLanes((agent, sessionKey, own) =>
    createLaneDriver({ ...options, ...own, now, book, agentId: agent.id, sessionKey }),
  )
  const slots: AgentSlots = lanes
  const context: ConversationContext = { ...options, now, book, lanes }
  let isClosed = false
  /** Before this resolves, a waiting message may not be in its lane yet. */
  let isRecovered = false
  const stopAnswers = attention.onAnswer(async ({ kind, answer, subjectId }) => {
    if (kind === 'message' && answer === 'retry' && subjectId) await sendAgain(context, subjectId)
  })

  return {
    /** Which agents are busy, shared with tasks and rooms. */
    slots,
    /** Throws `agent_not_found`, `agent_cannot_run`, `runtime_not_found`, `queue_full`, `model_unknown`, `server_stopping`. */
    send(input: SendInput) {
      if (isClosed) throw new ClawbooError('server_stopping', 'the server is stopping; send the message again later')
      return sendMessage(context, input)
    },
    /** Throws `message_not_found`, and `message_delivered` when the message is no longer waiting. */
    withdraw: (agentId: string, messageId: string) => withdrawMessage(context, agentId, messageId, isRecovered),
    messages: (agentId: string, filter: Parameters<typeof listMessages>[2]) => listMessages(store, agentId, filter),
    read: (agentId: string, page: { readonly sessionKey?: string; readonly before?: string; readonly limit: number }) =>
      readConversation(context, agentId, page),
    change: (agentId: string, patch: Partial<ConversationSettings> & { readonly sessionKey?: string }) =>
      changeConversation(context, agentId, patch),
    /** Starts a new conversation under the same key. Waiting messages are withdrawn. Throws `agent_busy` during a run. */
    reset: (agentId: string, sessionKey?: string) => resetConversation(context, agentId, sessionKey),
    stop: (agentId: string, stopping: { readonly sessionKey?: string; readonly clearQueue?: boolean }) =>
      stopConversation(context, agentId, stopping),
    /** Throws `run_not_found`. */
    stopRun: (runId: string) => stopRun(context, runId),
    inspect: (agentId: string, sessionKey?: string) => inspectAgent(context, agentId, sessionKey),
    /** Takes over the response: sends the events of the agent's active run so far, then each new one. */
    follow: (response: ServerResponse, agentId: string) => streams.follow(response, agentId),
    /**
     * Delivers the messages that an earlier process accepted and did not deliver. Call this at the start of the server.
     */
    async recover() {
      await recoverMessages(context)
      isRecovered = true
    },
    /**
     * Ends the work of an agent that is about to be removed. Returns a function to call after the removal, which never
     * rejects: waiting messages are then delivered if the agent is still there.
     */
    forget: (agentId: string) => forgetAgent(context, agentId),
    /** Ends every run and refuses later messages. */
    async close() {
      isClosed = true
      stopAnswers()
      await lanes.close()
    },
  }
}

/** Accepts or refuses a message at once. The same id again returns the first outcome. */
async function sendMessage(context: ConversationContext, input: SendInput): Promise<SendOutcome> {
  const { store, book, runtimes, lanes, instance, now } = context
  const known = input.id === undefined ? null : await store.messages.get(input.id)
  if (known) return outcomeOf(known, input.agentId)
  const agent = await wantAgent(store, input.agentId)
  const runtime = runtimeOf(runtimes, agent)
  if (input.model) await wantModel(runtime, input.model)
  const sessionKey = sessionKeyOf(agent, input.sessionKey)
  const settings = queueSettings(agent, await readSettings(store, agent.id, sessionKey))
  const message = {
    id: input.id ?? randomUUID(),
    agentId: agent.id,
    sessionKey,
    text: input.text,
    mode: input.mode ?? settings.mode,
    model: input.model ?? null,
    sender: currentActor()?.name ?? 'operator',
    createdAt: now(),
  }
  const verdict = await lanes.of(agent, sessionKey).accept(waitingMessage(message), settings, async () => {
    const { inserted } = await book.accept({ ...message, owner: instance })
    return inserted
  })
  if (verdict === 'refused') {
    throw new ClawbooError('queue_full', `${settings.cap} messages are already waiting, so this one was not accepted`, {
      details: { cap: settings.cap },
    })
  }
  if (verdict === 'known') return outcomeOf((await store.messages.get(message.id))!, agent.id)
  const [stored] = await book.change([message.id], ANY_STATE, { verdict: VERDICTS[verdict] })
  // The agent was deleted in the meantime, with its messages.
  if (!stored) throw agentNotFound(agent.id)
  return outcomeOf(stored, agent.id)
}

const VERDICTS: Readonly<Record<Exclude<AcceptResult['verdict'], 'refused'>, MessageVerdict>> = {
  start: 'started',
  steer: 'steered',
  queued: 'queued',
  interrupt: 'interrupting',
}

const ANY_STATE = ['queued', 'delivering', 'delivered', 'withdrawn', 'dropped', 'failed', 'uncertain'] as const

function waitingMessage(
  message: Pick<StoredMessage, 'id' | 'agentId' | 'sessionKey' | 'text' | 'mode' | 'model' | 'sender' | 'createdAt'>,
) {
  return {
    ...message,
    state: 'queued',
    runId: null,
    reason: null,
    attempts: 0,
    settledAt: null,
    verdict: null,
    promptId: null,
    notBefore: null,
  } as const
}

function outcomeOf(message: StoredMessage, agentId: string): SendOutcome {
  if (message.agentId !== agentId) throw new ClawbooError('request_invalid', 'a message to another agent has this id')
  return { message: messageRecord(message), verdict: message.verdict ?? 'queued', runId: message.runId }
}

const QUEUED_SHOWN = 200

/** The newest runs of a conversation with their entries, oldest first, and the waiting messages. */
async function readConversation(
  { store, streams, runs }: ConversationContext,
  agentId: string,
  page: Parameters<Conversations['read']>[1],
): Promise<ConversationReading> {
  const sessionKey = sessionKeyOf(await wantAgent(store, agentId), page.sessionKey)
  const activeRunId = runs.inConversation(agentId, sessionKey)?.id ?? null
  const { limit } = page
  const before = page.before === undefined ? {} : { before: page.before }
  // Read the live entries before the store: the store then has every entry of a run that ends in between.
  const live = activeRunId === null ? null : streams.entriesOf(activeRunId)
  const [settings, newestFirst, queued, begunAnew] = await Promise.all([
    readSettings(store, agentId, sessionKey),
    store.runs.list({ agentId, sessionKey, limit: limit + 1, ...before }),
    store.messages.list(agentId, { sessionKey, state: 'queued', limit: QUEUED_SHOWN }),
    readBeginning(store, agentId, sessionKey),
  ])
  const shown = newestFirst.slice(0, limit).reverse()
  const entries = await store.runs.entries(shown.map(({ id }) => id))
  const details = shown.map((run): RunDetail => {
    const isLive = run.id === activeRunId && run.state === 'running'
    return { run, entries: isLive && live ? live : entries.get(run.id)! }
  })
  return {
    sessionKey,
    activeRunId,
    runs: details,
    queued: queued.map(messageRecord),
    settings,
    begunAnew,
    hasMore: newestFirst.length > limit,
  }
}
