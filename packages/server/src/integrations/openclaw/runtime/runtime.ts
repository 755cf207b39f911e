import { ClawbooError } from '@clawboo/core'
import type {
  ApprovalAnswer,
  Prompt,
  RunHandle,
  RuntimeAdapter,
  RuntimeHealth,
  SessionCodec,
  StartOptions,
  SteerOutcome,
  TaskHandle,
} from '@clawboo/core/executor'
import { sessionSettings } from '../agent-config.ts'
import { OPENCLAW_CLAIMS, OPENCLAW_ID } from '../descriptor.ts'
import type { GatewayConnection } from '../gateway/gateway-connection.ts'
import type { ActiveRun, ActiveRuns } from './active-runs.ts'
import type { GatewaySessions } from './gateway-sessions.ts'
import { promptKey, upstreamSessionKey } from './upstream-keys.ts'

const MOST_ATTEMPTS = 5

/** A runtime has exactly the optional methods that its claims name. */
export type OpenClawRuntime = Required<Omit<RuntimeAdapter, 'inspect' | 'workspace'>>

/** Agents of the Gateway, driven over its connection. */
export function createOpenClawRuntime(
  gateway: GatewayConnection,
  sessions: GatewaySessions,
  runs: ActiveRuns,
  /** Resolves after the Gateway's first answer to a server that has just started. */
  answered: () => Promise<void>,
): OpenClawRuntime {
  const send = (active: ActiveRun, prompt: Prompt, queueMode: 'followup' | 'steer') =>
    sendPrompt(sessions, active, prompt, queueMode)
  const start = async ({ agent, sessionKey, prompt }: TaskHandle, options: StartOptions): Promise<RunHandle> => {
    await answered()
    const key = upstreamSessionKey(agent, sessionKey)
    const active = runs.open({ agent, sessionKey: key, runId: options.runId })
    try {
      await sessions.follow(key)
      await sessions.configure(key, sessionSettings(agent, options.model))
      active.run.emit({ type: 'status', state: 'started' })
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
    health: async () => healthOf(gateway),
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
        // The caller keeps the prompt and sends it after the run.
        return { accepted: false, reason: active.run.isOver ? 'no_active_run' : 'runtime_rejected' }
      }
    },
    answerApproval: (handle, approvalId, answer) => resolveApproval(gateway, runs, handle, approvalId, answer),
    ...conversationsOf(sessions, runs, answered),
    forget: (agentId) => runs.end((agent) => agent.id === agentId),
    dispose: () => runs.dispose(),
  }
}

/** The Gateway accepts a key once. If it used up a key without storing the prompt, the next attempt uses another key. */
async function sendPrompt(
  sessions: GatewaySessions,
  active: ActiveRun,
  prompt: Prompt,
  queueMode: 'followup' | 'steer',
): Promise<void> {
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
      throw new ClawbooError('message_delivered', 'the OpenClaw Gateway has already answered this message')
  }
}

/** Models, and what the Gateway remembers of conversations. */
function conversationsOf(sessions: GatewaySessions, runs: ActiveRuns, answered: () => Promise<void>) {
  return {
    async setModel(handle, model) {
      const active = runs.find(handle)
      if (active) await sessions.setModel(active.sessionKey, model)
    },
    listModels: () => sessions.listModels(),
    checkModel: (model) => sessions.checkModel(model),
    sessionCodec,
    async hasPrompt(agent, sessionKey, promptId) {
      await answered()
      return sessions.hasPrompt(upstreamSessionKey(agent, sessionKey), promptId)
    },
    async endOrphan(agent, sessionKey) {
      await answered()
      await runs.endOrphan(upstreamSessionKey(agent, sessionKey))
    },
    resetSession: (agent, sessionKey) => sessions.reset(upstreamSessionKey(agent, sessionKey)),
  } satisfies Partial<OpenClawRuntime>
}

function healthOf(gateway: GatewayConnection): RuntimeHealth {
  const { state, problem } = gateway.status()
  if (state === 'connected') return { state: 'ready', detail: null }
  if (state === 'disconnected' && !problem) return { state: 'needs-setup', detail: 'No OpenClaw Gateway is connected.' }
  return { state: 'unavailable', detail: problem ? `${problem.message}. ${problem.remedy}` : 'Connecting.' }
}

/** Returns false when the question is no longer open, or the Gateway does not accept the answer. */
async function resolveApproval(
  gateway: GatewayConnection,
  runs: ActiveRuns,
  handle: RunHandle,
  approvalId: string,
  answer: ApprovalAnswer,
): Promise<boolean> {
  if (!runs.find(handle)?.run.takeApproval(approvalId)) return false
  try {
    await gateway.call('exec.approval.resolve', { id: approvalId, decision: answer })
    return true
  } catch {
    return false
  }
}

async function* endedEvents(): AsyncGenerator<never> {}

const PREFIX = 'openclaw-session:'
const SESSION = /^openclaw-session:([0-9a-f]{8}-[0-9a-f-]{20,40})$/

const sessionCodec: SessionCodec = {
  encode: ({ sessionId }) => (sessionId === null ? null : PREFIX + sessionId),
  decode(text) {
    const sessionId = SESSION.exec(text)?.[1]
    return sessionId === undefined ? null : { sessionId }
  },
}
