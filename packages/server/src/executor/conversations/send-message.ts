import { randomUUID } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { currentActor } from '../../access/actor.ts'
import type { Store } from '../../store/open-store.ts'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import { agentNotFound, conversationKey, runtimeOf, wantAgent, wantModel } from '../runtimes/find-runner.ts'
import type { ConversationLane } from './conversation-lane.ts'
import { queueSettings, readSettings } from './conversation-settings.ts'
import type { SendInput, SendOutcome } from './conversations.ts'
import { verdictOf } from './lane-message.ts'
import type { MessageBook } from './message-book.ts'
import { messageRecord } from './messages.ts'

interface Sending {
  readonly store: Store
  readonly book: MessageBook
  readonly runtimes: RuntimeRegistry
  readonly laneFor: (agent: AgentRecord, sessionKey: string) => ConversationLane
  readonly instance: string
  readonly now: () => number
}

/** Takes a message or refuses it, at once. The same id again gives the first outcome. */
export async function sendMessage(parts: Sending, input: SendInput): Promise<SendOutcome> {
  const { store, book, runtimes, now } = parts
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
  const lane = parts.laneFor(agent, sessionKey)
  const verdict = await lane.accept(waitingMessage(message), settings, async () => {
    const { inserted } = await book.accept({ ...message, owner: parts.instance })
    return inserted
  })
  if (verdict === 'refused') {
    throw new ClawbooError('queue_full', `${settings.cap} messages wait already; this one was not taken`, {
      details: { cap: settings.cap },
    })
  }
  if (verdict === 'known') return outcomeOf((await store.messages.get(message.id))!, agent.id)
  const [stored] = await book.change([message.id], ANY_STATE, { verdict: verdictOf(verdict) })
  // Removed with its agent meanwhile.
  if (!stored) throw agentNotFound(agent.id)
  return outcomeOf(stored, agent.id)
}

const ANY_STATE = ['queued', 'delivering', 'delivered', 'withdrawn', 'dropped', 'failed', 'uncertain'] as const

function waitingMessage(
  message: Pick<StoredMessage, 'id' | 'agentId' | 'sessionKey' | 'text' | 'mode' | 'model' | 'sender' | 'createdAt'>,
) {
  const unsettled = {
    runId: null,
    reason: null,
    attempts: 0,
    settledAt: null,
    verdict: null,
    promptId: null,
    notBefore: null,
  }
  return { ...message, ...unsettled, state: 'queued' } as const
}

function outcomeOf(message: StoredMessage, agentId: string): SendOutcome {
  if (message.agentId !== agentId)
    throw new ClawbooError('request_invalid', 'this message id belongs to a message to another agent')
  return { message: messageRecord(message), verdict: message.verdict ?? 'queued', runId: message.runId }
}
