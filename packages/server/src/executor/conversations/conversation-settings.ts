import {
  type ConversationSettings,
  NO_CONVERSATION_SETTINGS,
  type PartialQueueSettings,
  type QueueSettings,
  resolveQueueSettings,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'

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
