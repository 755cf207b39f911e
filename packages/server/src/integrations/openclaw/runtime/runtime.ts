import { ClawbooError } from '@clawboo/core'
import type { Prompt, RunHandle, RuntimeAdapter, StartOptions, SteerOutcome, TaskHandle } from '@clawboo/core/executor'
import { sessionWish } from '../agent-config.ts'
import type { GatewayConnection } from '../gateway/gateway-connection.ts'
import { OPENCLAW_ID } from '../openclaw-id.ts'
import type { ActiveRun, ActiveRuns } from './active-runs.ts'
import type { GatewaySessions } from './gateway-sessions.ts'
import { OPENCLAW_CLAIMS, openClawSessions } from './openclaw-claims.ts'
import { promptKey, upstreamSessionKey } from './upstream-keys.ts'

const MOST_ATTEMPTS = 5

/** Every method that its claims require. */
export type OpenClawRuntime = Required<Omit<RuntimeAdapter, 'inspect' | 'workspace'>>

/** Runs the Gateway's agents over its connection. */
export function createOpenClawRuntime(
  gateway: GatewayConnection,
  sessions: GatewaySessions,
  runs: ActiveRuns,
  /** Waits for the Gateway's first answer before a starting server resumes its work. */
  answered: () => Promise<void>,
): OpenClawRuntime {
  /** The Gateway accepts a key once. A key that was used without storing the prompt is replaced by another. */
  const send = async (active: ActiveRun, prompt: Prompt, queueMode: 'followup' | 'steer'): Promise<void> => {
    const { sessionKey, run } = active
    for (let attempt = 0; ; attempt++) {
      const key = promptKey(sessionKey, prompt.id, attempt)
      run.send(prompt, key)
      try {
        const status = await sessions.send({ sessionKey, message: prompt.text, idempotencyKey: key, queueMode })
        if (status !== 'ok' || attempt >= MOST_ATTEMPTS) return
      } catch (error) {
        run.unsend(key)
        throw error
      }
      run.unsend(key)
      if (await sessions.hasPrompt(sessionKey, prompt.id))
        throw new ClawbooError('message_delivered', 'the OpenClaw Gateway has answered this message already')
    }
  }

  const start = async ({ agent, sessionKey, prompt }: TaskHandle, options: StartOptions): Promise<RunHandle> => {
    await answered()
    const key = upstreamSessionKey(agent, sessionKey)
    const active = runs.open({ agent, sessionKey: key, runId: options.runId })
    try {
      await sessions.follow(key)
      await sessions.configure(key, sessionWish(agent, options.model))
      active.run.tell({ type: 'status', state: 'started' })
      active.resend = (again, queueMode) => send(active, again, queueMode)
      await send(active, prompt, 'followup')
    } catch (error) {
      runs.discard(active)
      throw error
    }
    return active.run.handle
  }

  return {
    id: OPENCLAW_ID,
    participantKind: 'agent',
    capabilities: () => OPENCLAW_CLAIMS,
    async health() {
      const { state, problem } = gateway.status()
      if (state === 'connected') return { state: 'ready', detail: null }
      if (state === 'disconnected' && !problem)
        return { state: 'needs-setup', detail: 'No OpenClaw Gateway is connected.' }
      return { state: 'unavailable', detail: problem ? `${problem.message}. ${problem.remedy}` : 'Connecting.' }
    },
    start,
    events: (handle) => runs.events(handle) ?? endedEvents(),
    abort: (handle) => runs.abort(handle),
    async steer(handle, prompt): Promise<SteerOutcome> {
      const active = runs.find(handle)
      if (!active || active.run.isOver || active.isAborting) return { accepted: false, reason: 'no_active_run' }
      try {
        await send(active, prompt, 'steer')
        return { accepted: true }
      } catch {
        return { accepted: false, reason: active.run.isOver ? 'no_active_run' : 'runtime_rejected' }
      }
    },
    async setModel(handle, model) {
      const active = runs.find(handle)
      if (active) await sessions.setModel(active.sessionKey, model)
    },
    listModels: () => sessions.listModels(),
    checkModel: (model) => sessions.checkModel(model),
    async answerApproval(handle, approvalId, answer) {
      if (!runs.find(handle)?.run.takeApproval(approvalId)) return false
      try {
        await gateway.call('exec.approval.resolve', { id: approvalId, decision: answer })
        return true
      } catch {
        return false
      }
    },
    sessionCodec: openClawSessions,
    async hasPrompt(agent, sessionKey, promptId) {
      await answered()
      return sessions.hasPrompt(upstreamSessionKey(agent, sessionKey), promptId)
    },
    async endOrphan(agent, sessionKey) {
      await answered()
      await runs.endOrphan(upstreamSessionKey(agent, sessionKey))
    },
    resetSession: (agent, sessionKey) => sessions.reset(upstreamSessionKey(agent, sessionKey)),
    forget: (agentId) => runs.end((agent) => agent.id === agentId),
    dispose: () => runs.dispose(),
  }
}

async function* endedEvents(): AsyncGenerator<never> {}
