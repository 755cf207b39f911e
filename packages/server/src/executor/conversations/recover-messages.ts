import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import type { ConversationContext } from './conversation-actions.ts'
import { undeliveredItem } from './lane-driver.ts'

/** After this many attempts, a message whose delivery a crash cut off is not tried again: it may cause the crashes. */
const MOST_ATTEMPTS = 3

/**
 * Recovers the messages that an earlier process of this server accepted. A message in the runtime's own record was
 * delivered; any other goes back to its queue. If the record cannot be read, a person decides, so that no message is
 * sent twice.
 */
export async function recoverMessages(context: ConversationContext): Promise<void> {
  const { store, lanes, instance } = context
  const waiting = await store.messages.waiting(instance)
  const requeued = new Map<string, { readonly agent: AgentRecord; readonly messages: StoredMessage[] }>()
  for (const message of waiting) {
    const agent = await store.agents.get(message.agentId)
    if (!agent || !(await mustRequeue(context, agent, message))) continue
    const key = `${agent.id}\n${message.sessionKey}`
    const group = requeued.get(key) ?? { agent, messages: [] }
    group.messages.push(message)
    requeued.set(key, group)
  }
  for (const { agent, messages } of requeued.values()) await lanes.of(agent, messages[0]!.sessionKey).restore(messages)
}

/** Settles a message that was delivered or is given up. Resolves to true when the message goes back to its queue. */
async function mustRequeue(context: ConversationContext, agent: AgentRecord, message: StoredMessage): Promise<boolean> {
  if (message.state === 'queued') return true
  const { book, attention, now } = context
  const arrived = await hasArrived(context.runtimes, agent, message)
  if (arrived === 'yes') {
    await book.delivered([message.id])
    return false
  }
  if (arrived === 'unknown' || message.attempts >= MOST_ATTEMPTS) {
    const state = arrived === 'unknown' ? 'uncertain' : 'failed'
    const reason =
      arrived === 'unknown'
        ? 'the server stopped during the delivery; it is unknown whether the message arrived'
        : `the server stopped during attempt ${message.attempts} to deliver it`
    await book.change([message.id], ['delivering'], { state, reason, settledAt: now() })
    await attention.open(undeliveredItem(agent, message, reason))
    return false
  }
  await book.change([message.id], ['delivering'], { state: 'queued', runId: null, promptId: null })
  return true
}

async function hasArrived(
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
    // A record that cannot be read must not prevent the server from starting.
    return 'unknown'
  }
}
