import {
  type ConversationReading,
  type ConversationSettings,
  NO_CONVERSATION_SETTINGS,
  type PartialQueueSettings,
  type QueueSettings,
  resolveQueueSettings,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { RecordChange } from '../../registry/record-change.ts'
import { agentSettingsPrefix } from '../../registry/source-records.ts'
import type { Store } from '../../store/open-store.ts'
import { messageChanged } from './messages.ts'

const settingsKey = (agentId: string, sessionKey: string) => `agent:${agentId}:conversation:${sessionKey}`

export async function readSettings(store: Store, agentId: string, sessionKey: string): Promise<ConversationSettings> {
  const stored = await store.settings.get<Partial<ConversationSettings>>(settingsKey(agentId, sessionKey))
  return { ...NO_CONVERSATION_SETTINGS, ...stored }
}

export function changeSettings(
  record: RecordChange,
  agentId: string,
  sessionKey: string,
  patch: Partial<ConversationSettings>,
): Promise<ConversationSettings> {
  return record({ action: 'conversation.change', subject: agentId }, async (tx) => {
    const before = await tx.settings.get<Partial<ConversationSettings>>(settingsKey(agentId, sessionKey))
    const after = { ...NO_CONVERSATION_SETTINGS, ...before, ...patch }
    await tx.settings.set(settingsKey(agentId, sessionKey), after)
    return { result: after, events: [{ type: 'conversation-changed', agentId, sessionKey }], detail: patch }
  })
}

export function queueSettings(agent: AgentRecord, conversation: ConversationSettings): QueueSettings {
  const own = (agent.execConfig as { readonly queue?: PartialQueueSettings } | null)?.queue
  const { queueMode: mode, debounceMs, cap, drop } = conversation
  return resolveQueueSettings({ conversation: { mode, debounceMs, cap, drop }, ...(own ? { agent: own } : {}) })
}

type Beginning = NonNullable<ConversationReading['begunAnew']>

const beginningKey = (agentId: string, sessionKey: string) => `${agentSettingsPrefix(agentId)}begun-anew:${sessionKey}`

/** Starts a conversation over: its next run remembers nothing, and waiting messages are withdrawn. */
export function startOver(
  record: RecordChange,
  conversation: { readonly agentId: string; readonly sessionKey: string },
  waiting: readonly string[],
  at: number,
): Promise<void> {
  const { agentId, sessionKey } = conversation
  return record({ action: 'conversation.reset', subject: agentId }, async (tx) => {
    const [last] = await tx.runs.list({ agentId, sessionKey, limit: 1 })
    const beginning: Beginning = { at, afterRunId: last?.id ?? null }
    await tx.runs.forgetResumePoints(agentId, sessionKey)
    await tx.settings.set(beginningKey(agentId, sessionKey), beginning)
    const reason = 'a new conversation started before the message was delivered'
    const messages = await tx.messages.update(waiting, ['queued'], { state: 'withdrawn', reason, settledAt: at })
    return {
      result: undefined,
      events: [{ type: 'conversation-changed', agentId, sessionKey }, ...messages.map(messageChanged)],
    }
  })
}

export async function readBeginning(store: Store, agentId: string, sessionKey: string): Promise<Beginning | null> {
  return (await store.settings.get<Beginning>(beginningKey(agentId, sessionKey))) ?? null
}
