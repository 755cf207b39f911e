import { ClawbooError } from '@clawboo/core'
import {
  type RunHandle,
  type RuntimeAdapter,
  type RuntimeDescriptor,
  type RuntimeEvent,
  type SessionCodec,
  SingleConsumerQueue,
  type StartOptions,
  type TaskHandle,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { AgentStates } from './agent-states.ts'
import { inspectSetup } from './inspect-setup.ts'
import { driveRun } from './loop/agent-run.ts'
import { type PreparedRun, prepareRun } from './loop/prepare-run.ts'
import type { Models } from './models/models.ts'
import { viewWorkspace } from './workspace-view.ts'

interface Runtime {
  readonly host: IntegrationHost
  readonly models: Models
  readonly runs: ActiveRuns
  readonly states: AgentStates
}

/** The agent loop, its tools and its agents' files, in the server's process. Its runs die with the server. */
export function createNativeRuntime(
  host: IntegrationHost,
  models: Models,
  { id, participantKind, claims }: RuntimeDescriptor,
): RuntimeAdapter {
  const runs = new ActiveRuns()
  const states = new AgentStates(host, (agentId, sessionKey) => runs.isBusy(agentId, sessionKey))
  const runtime: Runtime = { host, models, runs, states }
  return {
    id,
    participantKind,
    capabilities: () => claims,
    health: async () => ({ state: 'ready', detail: null }),
    sessionCodec,
    workspace: (agent) => viewWorkspace(host.files.folder(`${agent.id}/workspace`)),
    start: (task, options) => start(runtime, task, options),
    events: (run) => runs.find(run)?.run.events.queue ?? endedEvents(),
    async abort(run) {
      const found = runs.find(run)
      if (!found || found.run.gate.closed) return
      found.controller.abort()
      await found.ended
    },
    steer: async (run, prompt) =>
      runs.find(run)?.run.gate.steer(prompt) ?? { accepted: false, reason: 'no_active_run' },
    answerApproval: async (run, approvalId, answer) =>
      runs.find(run)?.run.approvals.answer(approvalId, answer) ?? false,
    async setModel(run, model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      if (!list.ok) throw new ClawbooError('model_unknown', list.message, { details: { model } })
      await runs.find(run)?.useModel(list)
    },
    async checkModel(model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      return list.ok ? null : list.message
    },
    hasPrompt: (agent, sessionKey, promptId) => hasPrompt(runtime, agent.id, sessionKey, promptId),
    resetSession: (agent, sessionKey) => resetSession(runtime, agent, sessionKey),
    inspect: (agent, sessionKey) => inspectSetup({ host, state: states.of(agent.id), models, agent, sessionKey }),
    async forget(agentId) {
      const state = states.take(agentId)
      await runs.end((other) => other === agentId)
      await state?.dispose()
    },
    async dispose() {
      const open = states.takeAll()
      await runs.end(() => true)
      await Promise.all(open.map((state) => state.dispose()))
    },
  }
}

async function start(
  { host, models, runs, states }: Runtime,
  task: TaskHandle,
  options: StartOptions,
): Promise<RunHandle> {
  const { agent, sessionKey } = task
  const before = runs.wantFree(agent, sessionKey)
  const state = states.of(agent.id)
  const begin = async (): Promise<RunHandle> => {
    await before
    const prepared = await prepareRun({ host, state, models, task, options })
    // A run that was prepared for an agent that is now forgotten must not start writing.
    if (!states.isOpen(state))
      throw new ClawbooError(
        states.isClosed ? 'server_stopping' : 'agent_not_found',
        `${agent.displayName} is no longer available`,
      )
    const handle: RunHandle = { runId: options.runId, sessionId: prepared.sessionId }
    runs.begin({ ...prepared, handle, sessionKey, agentId: agent.id }, async () => {
      const { events } = prepared.run
      events.emit({ type: 'status', state: 'started', detail: prepared.startedDetail })
      for (const notice of prepared.notices) events.emit({ type: 'status', state: 'notice', detail: notice })
      await driveRun(prepared.run)
    })
    states.used(state, sessionKey)
    return handle
  }
  // Locked until the run owns the conversation, because another start may close an unused one.
  return runs.prepare(agent.id, sessionKey, begin())
}

async function hasPrompt({ states }: Runtime, agentId: string, sessionKey: string, promptId: string): Promise<boolean> {
  const state = states.of(agentId)
  if (!(await state.index()).get(sessionKey)) return false
  const session = await state.session(sessionKey)
  states.used(state, sessionKey)
  return session.hasMessage(promptId)
}

async function resetSession({ runs, states }: Runtime, agent: AgentRecord, sessionKey: string): Promise<void> {
  const before = runs.wantFree(agent, sessionKey)
  const state = states.of(agent.id)
  const begin = async () => {
    await before
    await state.closeSession(sessionKey)
    states.forgetConversation(state, sessionKey)
    await (await state.index()).newSession(sessionKey)
  }
  await runs.prepare(agent.id, sessionKey, begin())
}

interface ActiveRun extends PreparedRun {
  readonly handle: RunHandle
  readonly sessionKey: string
  readonly agentId: string
  readonly ended: Promise<void>
}

/** Active runs, conversations that are being prepared for a run, and pending notes about ended runs. */
class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>()
  /** By conversation. */
  readonly #holders = new Map<string, ActiveRun>()
  readonly #preparing = new Map<string, Promise<unknown>>()
  /** By agent. */
  readonly #notes = new Map<string, Promise<void>>()

  find(run: RunHandle): ActiveRun | null {
    return this.#runs.get(run.runId) ?? null
  }

  isBusy(agentId: string, sessionKey: string): boolean {
    const key = lockKey(agentId, sessionKey)
    return this.#preparing.has(key) || this.#holders.has(key)
  }

  /**
   * Throws `agent_busy`. Resolves once a run that has just emitted its end has released the conversation, so that a
   * caller can start the next run at once.
   */
  wantFree(agent: AgentRecord, sessionKey: string): Promise<void> | undefined {
    const key = lockKey(agent.id, sessionKey)
    const holder = this.#holders.get(key)
    if (this.#preparing.has(key) || (holder && !holder.run.gate.closed))
      throw new ClawbooError('agent_busy', `${agent.displayName} is already running`)
    return holder?.ended
  }

  /** Locks the conversation while `work` is pending. */
  prepare<T>(agentId: string, sessionKey: string, work: Promise<T>): Promise<T> {
    const key = lockKey(agentId, sessionKey)
    const held = work.finally(() => this.#preparing.delete(key))
    this.#preparing.set(key, held)
    return held
  }

  /** `drive` never rejects. */
  begin(run: Omit<ActiveRun, 'ended'>, drive: () => Promise<void>): void {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const key = lockKey(run.agentId, run.sessionKey)
    const active: ActiveRun = { ...run, ended }
    this.#runs.set(run.handle.runId, active)
    this.#holders.set(key, active)
    void drive().then(() => {
      this.#runs.delete(run.handle.runId)
      this.#holders.delete(key)
      this.#note(run.agentId, run.finished())
      resolve()
    })
  }

  /** Resolves when these agents have no more work under way. */
  async end(isOf: (agentId: string) => boolean): Promise<void> {
    const runs = [...this.#runs.values()].filter(({ agentId }) => isOf(agentId))
    for (const run of runs) run.controller.abort()
    const preparing = [...this.#preparing].filter(([key]) => isOf(key.slice(0, key.indexOf('\n'))))
    await Promise.allSettled([...preparing.map(([, work]) => work), ...runs.map(({ ended }) => ended)])
    await Promise.all([...this.#notes].filter(([agentId]) => isOf(agentId)).map(([, noted]) => noted))
  }

  #note(agentId: string, work: Promise<void>): void {
    // The run has ended and its transcript is stored: a note that fails must not fail it afterwards.
    const noted: Promise<void> = Promise.all([this.#notes.get(agentId), work.catch(() => {})]).then(() => {
      if (this.#notes.get(agentId) === noted) this.#notes.delete(agentId)
    })
    this.#notes.set(agentId, noted)
  }
}

function lockKey(agentId: string, sessionKey: string): string {
  return `${agentId}\n${sessionKey}`
}

/** The event stream of an unknown run: empty and ended. */
function endedEvents(): AsyncIterable<RuntimeEvent> {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  queue.end()
  return queue
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const sessionCodec: SessionCodec = {
  encode: ({ sessionId }) => sessionId,
  decode: (text) => (SESSION_ID.test(text) ? { sessionId: text } : null),
}
