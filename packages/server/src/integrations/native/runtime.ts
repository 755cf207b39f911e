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

interface ActiveRun extends PreparedRun {
  readonly handle: RunHandle
  readonly sessionKey: string
  readonly agentId: string
  readonly ended: Promise<void>
}

/** The runtime that ships with the product: the loop, the tools and the files of its agents, in this process. */
export function createNativeRuntime(host: IntegrationHost, models: Models): RuntimeAdapter {
  const desks = new Map<string, AgentDesk>()
  const active = new Map<string, ActiveRun>()
  /** Conversations in which a run is being put together. */
  const starting = new Set<string>()
  /** Conversations in the order of their last use. */
  const recent = new Map<string, { readonly desk: AgentDesk; readonly sessionKey: string }>()

  const deskOf = (agentId: string) => {
    const desk = desks.get(agentId) ?? createAgentDesk(host, agentId)
    desks.set(agentId, desk)
    return desk
  }
  const holderOf = (agentId: string, sessionKey: string) =>
    [...active.values()].find((run) => run.agentId === agentId && run.sessionKey === sessionKey)
  const used = (desk: AgentDesk, sessionKey: string) => {
    const key = `${desk.agentId}\n${sessionKey}`
    recent.delete(key)
    recent.set(key, { desk, sessionKey })
    for (const [oldest, conversation] of recent) {
      if (recent.size <= KEPT_OPEN) break
      if (holderOf(conversation.desk.agentId, conversation.sessionKey)) continue
      recent.delete(oldest)
      void conversation.desk.closeSession(conversation.sessionKey).catch(() => {})
    }
  }
  const wantRun = (run: RunHandle) => active.get(run.runId) ?? null

  const start = async (task: TaskHandle, options: StartOptions): Promise<RunHandle> => {
    const { agent, sessionKey } = task
    const key = `${agent.id}\n${sessionKey}`
    if (starting.has(key) || holderOf(agent.id, sessionKey))
      throw new ClawbooError('agent_busy', `${agent.displayName} is at work already`)
    starting.add(key)
    const desk = deskOf(agent.id)
    const prepared = await import('./loop/prepare-run.ts')
      .then(({ prepareRun }) => prepareRun({ host, desk, models, task, options }))
      .finally(() => starting.delete(key))
    const handle: RunHandle = { runId: options.runId, sessionId: prepared.sessionId }
    let finish = () => {}
    const ended = new Promise<void>((resolve) => {
      finish = resolve
    })
    active.set(options.runId, { ...prepared, handle, sessionKey, agentId: agent.id, ended })
    used(desk, sessionKey)
    prepared.run.events.emit({ type: 'status', state: 'started', detail: prepared.startedDetail })
    for (const notice of prepared.notices) prepared.run.events.emit({ type: 'status', state: 'notice', detail: notice })
    void driveRun(prepared.run)
      .then(() => prepared.finished())
      .finally(() => {
        active.delete(options.runId)
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
      wantRun(run)?.useModel(list)
    },
    async checkModel(model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      return list.ok ? null : list.message
    },
    answerApproval: async (run, approvalId, answer) => wantRun(run)?.run.approvals.answer(approvalId, answer) ?? false,
    sessionCodec: {
      encode: ({ sessionId }) => sessionId,
      decode: (text) => (/^[A-Za-z0-9_-]{1,100}$/.test(text) ? { sessionId: text } : null),
    },
    async hasPrompt(agent, sessionKey, promptId) {
      const desk = deskOf(agent.id)
      if (!(await desk.index()).get(sessionKey)) return false
      const session = await desk.session(sessionKey)
      used(desk, sessionKey)
      return session.hasMessage(promptId)
    },
    async resetSession(agent, sessionKey) {
      if (holderOf(agent.id, sessionKey)) throw new ClawbooError('agent_busy', `${agent.displayName} is at work`)
      const desk = deskOf(agent.id)
      await desk.closeSession(sessionKey)
      recent.delete(`${agent.id}\n${sessionKey}`)
      await (await desk.index()).newSession(sessionKey)
    },
    inspect: (agent: AgentRecord, sessionKey: string) =>
      inspectSetup({ host, desk: deskOf(agent.id), models, agent, sessionKey }),
    async forget(agentId) {
      for (const [key, { desk }] of recent) if (desk.agentId === agentId) recent.delete(key)
      await desks.get(agentId)?.dispose()
      desks.delete(agentId)
    },
    async dispose() {
      for (const run of active.values()) run.controller.abort()
      await Promise.all([...active.values()].map(({ ended }) => ended))
      await Promise.all([...desks.values()].map((desk) => desk.dispose()))
    },
  }
}

/** For a run nobody knows any more. */
function endedQueue(): AsyncIterable<RuntimeEvent> {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  queue.end()
  return queue
}
