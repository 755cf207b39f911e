import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import type { Attention } from '../attention/attention.ts'
import type { ConversationLane } from './conversation-lane.ts'
import type { MessageBook } from './message-book.ts'

/** A message that was under way this often when the server died is not tried again: it may be what kills it. */
const MOST_ATTEMPTS = 3

/**
 * Takes up what an earlier process of this server had accepted. What is in the runtime's own record was delivered; what
 * is not goes back to the queue; where nobody can tell, a person is asked, because sending twice is worse than asking.
 */
export async function recoverMessages(
  parts: {
    readonly store: Store
    readonly book: MessageBook
    readonly runtimes: RuntimeRegistry
    readonly attention: Attention
    readonly instance: string
    readonly now: () => number
  },
  laneFor: (agent: AgentRecord, sessionKey: string) => ConversationLane,
): Promise<void> {
  const waiting = await parts.store.messages.waiting(parts.instance)
  const back = new Map<string, { readonly agent: AgentRecord; readonly messages: StoredMessage[] }>()
  for (const message of waiting) {
    const agent = await parts.store.agents.get(message.agentId)
    if (!agent || !(await belongsBack(parts, agent, message))) continue
    const key = `${agent.id}\n${message.sessionKey}`
    const group = back.get(key) ?? { agent, messages: [] }
    group.messages.push(message)
    back.set(key, group)
  }
  for (const { agent, messages } of back.values()) await laneFor(agent, messages[0]!.sessionKey).restore(messages)
}

async function belongsBack(
  parts: Parameters<typeof recoverMessages>[0],
  agent: AgentRecord,
  message: StoredMessage,
): Promise<boolean> {
  if (message.state === 'queued') return true
  const { book, now } = parts
  const arrived = await arrival(parts.runtimes, agent, message)
  if (arrived === 'yes') {
    await book.delivered([message.id])
    return false
  }
  if (arrived === 'unknown' || message.attempts >= MOST_ATTEMPTS) {
    const state = arrived === 'unknown' ? 'uncertain' : 'failed'
    const reason =
      arrived === 'unknown'
        ? 'the server stopped while it was being delivered; nobody can tell whether it arrived'
        : `the server stopped ${message.attempts} times while it was being delivered`
    await book.change([message.id], ['delivering'], { state, reason, settledAt: now() })
    await parts.attention.open({
      kind: 'message',
      agentId: agent.id,
      runId: null,
      subjectId: message.id,
      title: `A message to ${agent.displayName} was not delivered`,
      detail: `${reason}\n\n${message.text.slice(0, 500)}`,
      action: null,
      answers: ['retry', 'dismiss'],
      expiresAt: null,
    })
    return false
  }
  await book.change([message.id], ['delivering'], { state: 'queued', runId: null, promptId: null })
  return true
}

async function arrival(
  runtimes: RuntimeRegistry,
  agent: AgentRecord,
  message: StoredMessage,
): Promise<'yes' | 'no' | 'unknown'> {
  const { promptId } = message
  if (promptId === null) return 'no'
  try {
    const adapter = await runtimes.find(agent.runtime)?.load()
    if (!adapter?.hasPrompt) return 'unknown'
    return (await adapter.hasPrompt(agent, message.sessionKey, promptId)) ? 'yes' : 'no'
  } catch {
    // One agent whose record cannot be read must not keep the server from starting.
    return 'unknown'
  }
}
