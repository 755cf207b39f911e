import { ClawbooError } from '@clawboo/core'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import { type AgentSlots, createAgentLanes, type Occupant } from './agent-lanes.ts'
import type { Attention } from './attention.ts'
import { beginAnew } from './begin-anew.ts'
import { type ConversationBook, createConversationBook } from './conversation-book.ts'
import { ConversationLane } from './conversation-lane.ts'
import { changeSettings, readSettings } from './conversation-settings.ts'
import type { Conversations } from './conversations.ts'
import { conversationKey, runtimeOf, wantAgent, wantModel } from './find-runner.ts'
import { createLaneDriver } from './lane-driver.ts'
import type { Limits } from './limits.ts'
import { messageRecord } from './messages.ts'
import type { RunInputs } from './prepare-run-input.ts'
import { readConversation } from './read-conversation.ts'
import { recoverMessages } from './recover-messages.ts'
import type { RunStreams } from './run-streams.ts'
import type { RunTools } from './run-tools.ts'
import { sendMessage } from './send-message.ts'

export interface ConversationParts {
  readonly store: Store
  readonly record: RecordChange
  readonly runtimes: RuntimeRegistry
  readonly attention: Attention
  readonly limits: Limits
  readonly streams: RunStreams
  readonly log: Log
  /** This server, over all its restarts. */
  readonly instance: string
  readonly inputs: RunInputs
  readonly tools?: RunTools
  readonly now?: () => number
}

const LEASE_MS = 60_000
const RENEW_MS = 20_000
const MESSAGE_LIMIT = 200

export function driveConversations(parts: ConversationParts): Conversations & { readonly slots: AgentSlots } {
  const { store, runtimes, attention, streams, instance, log, now = Date.now } = parts
  const book = createConversationBook({ record: parts.record, instance, now })
  const lanes = createAgentLanes((agent, sessionKey, own) =>
    createLaneDriver({
      ...parts,
      ...own,
      now,
      book,
      agentId: agent.id,
      sessionKey,
      owner: { instance, leaseMs: LEASE_MS },
      runtimeOf: (found) => runtimeOf(runtimes, found),
    }),
  )
  const activeIn = (agentId: string, sessionKey: string) =>
    lanes.occupantIn(agentId, sessionKey)?.active ?? lanes.find(agentId, sessionKey)?.active
  let closed = false
  /** Until then, what waits may be on its way into a conversation. */
  let recovered = false

  const renewal = setInterval(() => {
    if (!lanes.isEmpty)
      store.runs
        .renewLeases({ instance, leaseMs: LEASE_MS })
        .catch((error: unknown) => log.warn('leases were not renewed', { error }))
  }, RENEW_MS).unref()
  const stopAnswers = attention.onAnswer(async (item) => {
    if (item.kind === 'approval' && item.runId && item.subjectId) {
      const answer = item.answer === 'allow-once' || item.answer === 'allow-always' ? item.answer : 'deny'
      await lanes.ofRun(item.runId)?.active?.running.answerApproval(item.subjectId, answer)
    } else if (item.kind === 'message' && item.answer === 'retry' && item.subjectId) await sendAgain(item.subjectId)
  })
  const stopExpiries = attention.onExpire(async ({ kind, runId, subjectId }) => {
    if (kind === 'approval' && runId && subjectId)
      await lanes.ofRun(runId)?.active?.running.answerApproval(subjectId, 'deny')
  })
  const sendAgain = async (messageId: string) => {
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

  return {
    slots: lanes,
    send: (input) => {
      if (closed) throw stopping()
      return sendMessage({ store, book, runtimes, laneFor: lanes.of, instance, now }, input)
    },
    async withdraw(agentId, messageId) {
      const message = await store.messages.get(messageId)
      if (message?.agentId !== agentId)
        throw new ClawbooError('message_not_found', `there is no message "${messageId}" to this agent`)
      const lane = lanes.find(agentId, message.sessionKey)
      const ids = lane ? await lane.withdraw([messageId]) : recovered ? await withdrawRow(book, messageId, now()) : []
      if (!ids.includes(messageId)) throw new ClawbooError('message_delivered', 'this message no longer waits')
      return messageRecord((await store.messages.get(messageId))!)
    },
    async read(agentId, page) {
      const agent = await wantAgent(store, agentId)
      const sessionKey = conversationKey(agent, page.sessionKey)
      const settings = await readSettings(store, agentId, sessionKey)
      const activeRunId = activeIn(agentId, sessionKey)?.runId ?? null
      return readConversation({ store, streams }, { ...page, agentId, sessionKey, settings, activeRunId })
    },
    async change(agentId, { sessionKey, ...patch }) {
      const agent = await wantAgent(store, agentId)
      const key = conversationKey(agent, sessionKey)
      if (patch.model) await wantModel(runtimeOf(runtimes, agent), patch.model)
      const settings = await changeSettings(parts.record, agentId, key, patch)
      if (patch.model) await activeIn(agentId, key)?.running.setModel(patch.model)
      return settings
    },
    async reset(agentId, sessionKey) {
      const agent = await wantAgent(store, agentId)
      const key = conversationKey(agent, sessionKey)
      const adapter = await runtimeOf(runtimes, agent).load()
      if (lanes.occupantIn(agentId, key)) throw new ClawbooError('agent_busy', 'the agent is at work; stop it first')
      const begin = async (waiting: readonly string[]) => {
        await adapter.resetSession?.(agent, key)
        await beginAnew(parts.record, { agentId, sessionKey: key }, waiting, now())
      }
      await lanes
        .of(agent, key)
        .reset(begin)
        .finally(() => lanes.tidy(agentId, key))
    },
    async stop(agentId, { sessionKey, clearQueue }) {
      const agent = await wantAgent(store, agentId)
      const key = conversationKey(agent, sessionKey)
      const lane = lanes.find(agentId, key)
      const queued = { sessionKey: key, state: 'queued', limit: MESSAGE_LIMIT } as const
      if (lane && clearQueue) await lane.withdraw((await store.messages.list(agentId, queued)).map(({ id }) => id))
      const other = lanes.occupantIn(agentId, key)
      if (other) return { stopped: stopOccupant(other) }
      return { stopped: (await lane?.stop('aborted_by_person')) ?? null }
    },
    async stopRun(runId) {
      if (!(await store.runs.get(runId))) throw new ClawbooError('run_not_found', `there is no run "${runId}"`)
      const found = lanes.ofRun(runId)
      if (found && !(found instanceof ConversationLane)) return { stopped: stopOccupant(found) }
      return { stopped: (await found?.stop('aborted_by_person')) ?? null }
    },
    async inspect(agentId, sessionKey) {
      const agent = await wantAgent(store, agentId)
      const runtime = runtimeOf(runtimes, agent)
      const adapter = runtime.descriptor.claims.inspectable ? await runtime.load() : null
      if (!adapter?.inspect)
        throw new ClawbooError('agent_cannot_run', `the runtime "${agent.runtime}" shows nothing of this`)
      return adapter.inspect(agent, conversationKey(agent, sessionKey))
    },
    follow: (response, agentId) => streams.follow(response, agentId),
    async recover() {
      await recoverMessages({ store, book, runtimes, attention, instance, now }, lanes.of)
      recovered = true
    },
    async forget(agentId) {
      const release = async () => {
        // When nobody can tell, it stays: what waits for an agent that is gone comes to nothing by itself.
        const isGone = await store.agents.get(agentId).then(
          (agent) => agent === null,
          () => false,
        )
        lanes.release(agentId, isGone)
      }
      try {
        await lanes.hold(agentId)
        const agent = await store.agents.get(agentId)
        if (agent) await runtimes.find(agent.runtime)?.forget(agentId)
      } catch (error) {
        await release()
        throw error
      }
      return release
    },
    async close() {
      closed = true
      clearInterval(renewal)
      stopAnswers()
      stopExpiries()
      await lanes.close()
    },
  }
}

/** Does not wait for the end of it, as with a conversation. */
function stopOccupant(occupant: Occupant): string | null {
  const runId = occupant.active?.runId ?? null
  void occupant.stop('aborted_by_person')
  return runId
}

function stopping(): ClawbooError {
  return new ClawbooError('server_stopping', 'the server is stopping; send it again when it is back')
}

/** For a message that no conversation here holds, such as one whose agent could not be removed. */
async function withdrawRow(book: ConversationBook, messageId: string, settledAt: number): Promise<readonly string[]> {
  const patch = { state: 'withdrawn', reason: 'taken back', settledAt } as const
  return (await book.change([messageId], ['queued'], patch)).map(({ id }) => id)
}
