import { ClawbooError } from '@clawboo/core'
import type { AgentInspection, ConversationSettings, MessageRecord, RuntimeRegistry } from '@clawboo/core/executor'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { Attention } from '../attention/attention.ts'
import type { RunService } from '../run/run-service.ts'
import type { RunStreams } from '../run/run-streams.ts'
import { runtimeOf, sessionKeyOf, wantAgent, wantModel } from '../runtimes/find-runner.ts'
import type { AgentLanes, Occupant } from './agent-lanes.ts'
import { changeSettings, startOver } from './conversation-settings.ts'
import { type MessageBook, messageRecord } from './messages.ts'

export interface ConversationsOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly runtimes: RuntimeRegistry
  readonly runs: RunService
  readonly attention: Attention
  readonly streams: RunStreams
  readonly log: Log
  /** Identifies this server across restarts. */
  readonly instance: string
  readonly now?: () => number
}

/** The services of every action on a conversation. */
export interface ConversationContext extends ConversationsOptions {
  readonly now: () => number
  readonly book: MessageBook
  readonly lanes: AgentLanes
}

const MESSAGE_LIMIT = 200

/**
 * `isRecovered`: no recovery is about to add the message to a lane, so the row of a message without a lane can be
 * changed directly.
 */
export async function withdrawMessage(
  { store, book, lanes, now }: ConversationContext,
  agentId: string,
  messageId: string,
  isRecovered: boolean,
): Promise<MessageRecord> {
  const message = await store.messages.get(messageId)
  if (message?.agentId !== agentId)
    throw new ClawbooError('message_not_found', `this agent has no message "${messageId}"`)
  const lane = lanes.find(agentId, message.sessionKey)
  const patch = { state: 'withdrawn', reason: 'withdrawn by a person', settledAt: now() } as const
  const withdrawn = lane
    ? await lane.withdraw([messageId])
    : isRecovered
      ? (await book.change([messageId], ['queued'], patch)).map(({ id }) => id)
      : []
  if (!withdrawn.includes(messageId))
    throw new ClawbooError('message_delivered', 'this message is no longer waiting, so it cannot be withdrawn')
  return messageRecord((await store.messages.get(messageId))!)
}

/** Sends an undelivered message again. */
export async function sendAgain({ store, book, lanes }: ConversationContext, messageId: string): Promise<void> {
  const [message] = await book.change([messageId], ['failed', 'uncertain'], {
    state: 'queued',
    attempts: 0,
    settledAt: null,
    reason: null,
    runId: null,
    promptId: null,
  })
  const agent = message && (await store.agents.get(message.agentId))
  if (message && agent) await lanes.of(agent, message.sessionKey).restore([message])
}

export async function changeConversation(
  { store, record, runtimes, runs }: ConversationContext,
  agentId: string,
  { sessionKey, ...patch }: Partial<ConversationSettings> & { readonly sessionKey?: string },
): Promise<ConversationSettings> {
  const agent = await wantAgent(store, agentId)
  const key = sessionKeyOf(agent, sessionKey)
  if (patch.model) await wantModel(runtimeOf(runtimes, agent), patch.model)
  const settings = await changeSettings(record, agentId, key, patch)
  if (patch.model) await runs.inConversation(agentId, key)?.setModel(patch.model)
  return settings
}

export async function resetConversation(
  { store, record, runtimes, lanes, now }: ConversationContext,
  agentId: string,
  sessionKey?: string,
): Promise<void> {
  const agent = await wantAgent(store, agentId)
  const key = sessionKeyOf(agent, sessionKey)
  const adapter = await runtimeOf(runtimes, agent).load()
  if (lanes.occupantIn(agentId, key)) throw new ClawbooError('agent_busy', 'the agent is working; stop it first')
  const begin = async (waiting: readonly string[]) => {
    await adapter.resetSession?.(agent, key)
    await startOver(record, { agentId, sessionKey: key }, waiting, now())
  }
  await lanes
    .of(agent, key)
    .reset(begin)
    .finally(() => lanes.tidy(agentId, key))
}

export async function stopConversation(
  { store, lanes }: ConversationContext,
  agentId: string,
  { sessionKey, clearQueue }: { readonly sessionKey?: string; readonly clearQueue?: boolean },
): Promise<{ readonly stopped: string | null }> {
  const agent = await wantAgent(store, agentId)
  const key = sessionKeyOf(agent, sessionKey)
  const lane = lanes.find(agentId, key)
  const queued = { sessionKey: key, state: 'queued', limit: MESSAGE_LIMIT } as const
  if (lane && clearQueue) await lane.withdraw((await store.messages.list(agentId, queued)).map(({ id }) => id))
  const occupant = lanes.occupantIn(agentId, key)
  if (occupant) return { stopped: stopOccupant(occupant) }
  return { stopped: (await lane?.stop('aborted_by_person')) ?? null }
}

/** Stops the occupant without waiting for its end, as in a conversation. */
function stopOccupant(occupant: Occupant): string | null {
  const runId = occupant.run?.id ?? null
  void occupant.stop('aborted_by_person')
  return runId
}

export async function stopRun(
  { store, runs }: ConversationContext,
  runId: string,
): Promise<{ readonly stopped: string | null }> {
  if (!(await store.runs.get(runId))) throw new ClawbooError('run_not_found', `there is no run "${runId}"`)
  const run = runs.find(runId)
  run?.stop('aborted_by_person')
  return { stopped: run?.id ?? null }
}

export async function inspectAgent(
  { store, runtimes }: ConversationContext,
  agentId: string,
  sessionKey?: string,
): Promise<AgentInspection> {
  const agent = await wantAgent(store, agentId)
  const runtime = runtimeOf(runtimes, agent)
  const adapter = runtime.descriptor.claims.inspectable ? await runtime.load() : null
  if (!adapter?.inspect)
    throw new ClawbooError('agent_cannot_run', `the runtime "${agent.runtime}" cannot show the content of a run`)
  return adapter.inspect(agent, sessionKeyOf(agent, sessionKey))
}

/** Ends the agent's work before it is removed. Returns a function to call after the removal, which never rejects. */
export async function forgetAgent(
  { store, runtimes, lanes }: ConversationContext,
  agentId: string,
): Promise<() => Promise<void>> {
  const resume = async () => {
    // If the store cannot be read, keep the conversations: messages to a deleted agent have no effect anyway.
    const isGone = await store.agents.get(agentId).then(
      (agent) => agent === null,
      () => false,
    )
    lanes.resume(agentId, isGone)
  }
  try {
    await lanes.pause(agentId)
    const agent = await store.agents.get(agentId)
    if (agent) await runtimes.find(agent.runtime)?.forget(agentId)
  } catch (error) {
    await resume()
    throw error
  }
  return resume
}
