import { randomUUID } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import type { AcceptResult, MessageMode, MessageRecord, MessageVerdict, RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { currentActor } from '../../access/actor.ts'
import type { Store } from '../../store/open-store.ts'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { agentNotFound, conversationKey, runtimeOf, wantAgent, wantModel } from '../runtimes/find-runner.ts'
import type { ConversationLane } from './conversation-lane.ts'
import { queueSettings, readSettings } from './conversation-settings.ts'
import { type MessageBook, messageRecord } from './messages.ts'

export interface SendInput {
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

interface SendServices {
  readonly store: Store
  readonly book: MessageBook
  readonly runtimes: RuntimeRegistry
  readonly laneFor: (agent: AgentRecord, sessionKey: string) => ConversationLane
  readonly instance: string
  readonly now: () => number
}

/** Accepts or refuses a message at once. The same id again returns the first outcome. */
export async function sendMessage(services: SendServices, input: SendInput): Promise<SendOutcome> {
  const { store, book, runtimes, now } = services
  const known = input.id === undefined ? null : await store.messages.get(input.id)
  if (known) return outcomeOf(known, input.agentId)
  const agent = await wantAgent(store, input.agentId)
  const runtime = runtimeOf(runtimes, agent)
  if (input.model) await wantModel(runtime, input.model)
  const sessionKey = conversationKey(agent, input.sessionKey)
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
  const lane = services.laneFor(agent, sessionKey)
  const verdict = await lane.accept(waitingMessage(message), settings, async () => {
    const { inserted } = await book.accept({ ...message, owner: services.instance })
    return inserted
  })
  if (verdict === 'refused') {
    throw new ClawbooError('queue_full', `${settings.cap} messages already wait; this one was not accepted`, {
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
