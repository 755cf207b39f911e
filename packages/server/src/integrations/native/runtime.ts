import { ClawbooError } from '@clawboo/core'
import {
  type Capabilities,
  type RunHandle,
  type RuntimeAdapter,
  type RuntimeEvent,
  SingleConsumerQueue,
  type StartOptions,
  type TaskHandle,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { type AgentDesk, createAgentDesk } from './agent-desk.ts'
import { inspectSetup } from './inspect-setup.ts'
import { driveRun } from './loop/agent-run.ts'
import type { PreparedRun } from './loop/prepare-run.ts'
import type { Models } from './models/models.ts'
import { NATIVE_ID } from './native-id.ts'
import { viewWorkspace } from './workspace-view.ts'

const CAPABILITIES: Capabilities = {
  streaming: true,
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  runtimeClass: 'native',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: false,
}

/** Conversations that are kept open when nothing runs in them: opening one again reads its file. */
const KEPT_OPEN = 16

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface ActiveRun extends PreparedRun {
  readonly handle: RunHandle
  readonly sessionKey: string
  readonly agentId: string
  /** Nothing of it is written to the conversation any more. */
  readonly ended: Promise<void>
}

/** The runtime that ships with the product: the loop, the tools and the files of its agents, in this process. */
export function createNativeRuntime(host: IntegrationHost, models: Models): RuntimeAdapter {
  const desks = new Map<string, AgentDesk>()
  const active = new Map<string, ActiveRun>()
  /** Conversations in which a run is being put together, or that are begun anew. */
  const starting = new Map<string, Promise<unknown>>()
  /** What is still being noted about runs that have ended, by agent. */
  const notes = new Map<string, Promise<void>>()
  /** Conversations in the order of their last use. */
  const recent = new Map<string, { readonly desk: AgentDesk; readonly sessionKey: string }>()
  let isDisposed = false

  const deskOf = (agentId: string) => {
    if (isDisposed) throw new ClawbooError('server_stopping', 'the runtime has been stopped')
    const desk = desks.get(agentId) ?? createAgentDesk(host, agentId)
    desks.set(agentId, desk)
    return desk
  }
  const holderOf = (agentId: string, sessionKey: string) =>
    [...active.values()].find((run) => run.agentId === agentId && run.sessionKey === sessionKey)
  /** The run whose end was just told, if there is one: whoever heard of it may go on at once. */
  const wantFree = (agent: AgentRecord, sessionKey: string) => {
    const holder = holderOf(agent.id, sessionKey)
    if (starting.has(`${agent.id}\n${sessionKey}`) || (holder && !holder.run.gate.closed))
      throw new ClawbooError('agent_busy', `${agent.displayName} is at work already`)
    return holder?.ended
  }
  const note = (agentId: string, work: () => Promise<void>) => {
    const noted = Promise.all([notes.get(agentId), work().catch(() => {})]).then(() => {
      if (notes.get(agentId) === noted) notes.delete(agentId)
    })
    notes.set(agentId, noted)
  }
  const used = (desk: AgentDesk, sessionKey: string) => {
    const key = `${desk.agentId}\n${sessionKey}`
    recent.delete(key)
    recent.set(key, { desk, sessionKey })
    for (const [oldest, conversation] of recent) {
      if (recent.size <= KEPT_OPEN) break
      if (starting.has(oldest) || holderOf(conversation.desk.agentId, conversation.sessionKey)) continue
      recent.delete(oldest)
      void conversation.desk.closeSession(conversation.sessionKey).catch(() => {})
    }
  }
  /** Resolves when nothing of these agents is under way any more. Take their desks away before. */
  const endWork = async (isOf: (agentId: string) => boolean) => {
    const runs = [...active.values()].filter(({ agentId }) => isOf(agentId))
    for (const run of runs) run.controller.abort()
    const begun = [...starting].filter(([key]) => isOf(key.slice(0, key.indexOf('\n')))).map(([, start]) => start)
    await Promise.allSettled([...begun, ...runs.map(({ ended }) => ended)])
    await Promise.all([...notes].filter(([agentId]) => isOf(agentId)).map(([, noted]) => noted))
  }
  const wantRun = (run: RunHandle) => active.get(run.runId) ?? null

  const start = async (task: TaskHandle, options: StartOptions): Promise<RunHandle> => {
    const { agent, sessionKey } = task
    const key = `${agent.id}\n${sessionKey}`
    const before = wantFree(agent, sessionKey)
    const desk = deskOf(agent.id)
    const preparing = Promise.all([import('./loop/prepare-run.ts'), before])
      .then(([{ prepareRun }]) => prepareRun({ host, desk, models, task, options }))
      .finally(() => starting.delete(key))
    starting.set(key, preparing)
    const prepared = await preparing
    // What was put together for an agent that has been forgotten meanwhile must not begin to write.
    if (desks.get(agent.id) !== desk)
      throw new ClawbooError(isDisposed ? 'server_stopping' : 'agent_not_found', `${agent.displayName} is gone`)
    const handle: RunHandle = { runId: options.runId, sessionId: prepared.sessionId }
    const { promise: ended, resolve: finish } = Promise.withResolvers<void>()
    active.set(options.runId, { ...prepared, handle, sessionKey, agentId: agent.id, ended })
    used(desk, sessionKey)
    prepared.run.events.emit({ type: 'status', state: 'started', detail: prepared.startedDetail })
    for (const notice of prepared.notices) prepared.run.events.emit({ type: 'status', state: 'notice', detail: notice })
    void driveRun(prepared.run).then(() => {
      active.delete(options.runId)
      note(agent.id, prepared.finished)
      finish()
    })
    return handle
  }

  return {
    id: NATIVE_ID,
    participantKind: 'agent',
    capabilities: () => CAPABILITIES,
    health: async () => ({ state: 'ready', detail: null }),
    start,
    events: (run) => wantRun(run)?.run.events.queue ?? endedQueue(),
    async abort(run) {
      const found = wantRun(run)
      if (!found || found.run.gate.closed) return
      found.controller.abort()
      await found.ended
    },
    steer: async (run, prompt) => wantRun(run)?.run.gate.steer(prompt) ?? { accepted: false, reason: 'no_active_run' },
    async setModel(run, model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      if (!list.ok) throw new ClawbooError('model_unknown', list.message, { details: { model } })
      await wantRun(run)?.useModel(list)
    },
    async checkModel(model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      return list.ok ? null : list.message
    },
    answerApproval: async (run, approvalId, answer) => wantRun(run)?.run.approvals.answer(approvalId, answer) ?? false,
    sessionCodec: {
      encode: ({ sessionId }) => sessionId,
      decode: (text) => (SESSION_ID.test(text) ? { sessionId: text } : null),
    },
    async hasPrompt(agent, sessionKey, promptId) {
      const desk = deskOf(agent.id)
      if (!(await desk.index()).get(sessionKey)) return false
      const session = await desk.session(sessionKey)
      used(desk, sessionKey)
      return session.hasMessage(promptId)
    },
    async resetSession(agent, sessionKey) {
      const before = wantFree(agent, sessionKey)
      const desk = deskOf(agent.id)
      const key = `${agent.id}\n${sessionKey}`
      const begin = async () => {
        await before
        await desk.closeSession(sessionKey)
        recent.delete(key)
        await (await desk.index()).newSession(sessionKey)
      }
      const begun = begin().finally(() => starting.delete(key))
      starting.set(key, begun)
      await begun
    },
    inspect: (agent: AgentRecord, sessionKey: string) =>
      inspectSetup({ host, desk: deskOf(agent.id), models, agent, sessionKey }),
    workspace: (agent) => viewWorkspace(host.files.folder(`${agent.id}/workspace`)),
    async forget(agentId) {
      const desk = desks.get(agentId)
      desks.delete(agentId)
      for (const [key, conversation] of recent) if (conversation.desk === desk) recent.delete(key)
      await endWork((id) => id === agentId)
      await desk?.dispose()
    },
    async dispose() {
      isDisposed = true
      const open = [...desks.values()]
      desks.clear()
      await endWork(() => true)
      await Promise.all(open.map((desk) => desk.dispose()))
    },
  }
}

/** For a run nobody knows any more. */
function endedQueue(): AsyncIterable<RuntimeEvent> {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  queue.end()
  return queue
}
