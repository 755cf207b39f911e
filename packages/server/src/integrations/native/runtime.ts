import { ClawbooError } from '@clawboo/core'
import type { RunHandle, RuntimeAdapter, StartOptions, TaskHandle } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { ActiveRuns } from './active-runs.ts'
import { endedEvents } from './ended-events.ts'
import { inspectSetup } from './inspect-setup.ts'
import { driveRun } from './loop/agent-run.ts'
import { prepareRun } from './loop/prepare-run.ts'
import type { Models } from './models/models.ts'
import { nativeCapabilities, nativeSessionCodec } from './native-claims.ts'
import { NATIVE_ID } from './native-id.ts'
import { createOpenDesks, type OpenDesks } from './open-desks.ts'
import { viewWorkspace } from './workspace-view.ts'

/** A runtime in the host's process dies with its host and calls the host's models. */
export type NativeRuntime = Required<Omit<RuntimeAdapter, 'endOrphan' | 'listModels'>>

interface Working {
  readonly host: IntegrationHost
  readonly models: Models
  readonly runs: ActiveRuns
  readonly desks: OpenDesks
}

/** The agent loop, its tools and its agents' files, in the server's process. */
export function createNativeRuntime(host: IntegrationHost, models: Models): NativeRuntime {
  const runs = new ActiveRuns()
  const desks = createOpenDesks(host, (agentId, sessionKey) => runs.isBusy(agentId, sessionKey))
  const working: Working = { host, models, runs, desks }
  const claims = nativeCapabilities(host)
  return {
    id: NATIVE_ID,
    participantKind: 'agent',
    capabilities: () => claims,
    health: async () => ({ state: 'ready', detail: null }),
    sessionCodec: nativeSessionCodec,
    workspace: (agent) => viewWorkspace(host.files.folder(`${agent.id}/workspace`)),
    start: (task, options) => start(working, task, options),
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
    ...modelChoice(working),
    ...conversations(working),
    inspect: (agent: AgentRecord, sessionKey: string) =>
      inspectSetup({ host, desk: desks.of(agent.id), models, agent, sessionKey }),
    async forget(agentId) {
      const desk = desks.take(agentId)
      await runs.end((id) => id === agentId)
      await desk?.dispose()
    },
    async dispose() {
      const open = desks.takeAll()
      await runs.end(() => true)
      await Promise.all(open.map((desk) => desk.dispose()))
    },
  }
}

async function start(
  { host, models, runs, desks }: Working,
  task: TaskHandle,
  options: StartOptions,
): Promise<RunHandle> {
  const { agent, sessionKey } = task
  const before = runs.wantFree(agent, sessionKey)
  const desk = desks.of(agent.id)
  const begin = async (): Promise<RunHandle> => {
    await before
    const prepared = await prepareRun({ host, desk, models, task, options })
    // A run that was prepared for an agent that is now forgotten must not start writing.
    if (!desks.isOpen(desk))
      throw new ClawbooError(desks.isClosed ? 'server_stopping' : 'agent_not_found', `${agent.displayName} is gone`)
    const handle: RunHandle = { runId: options.runId, sessionId: prepared.sessionId }
    runs.begin({ ...prepared, handle, sessionKey, agentId: agent.id }, async () => {
      const { events } = prepared.run
      events.emit({ type: 'status', state: 'started', detail: prepared.startedDetail })
      for (const notice of prepared.notices) events.emit({ type: 'status', state: 'notice', detail: notice })
      await driveRun(prepared.run)
    })
    desks.used(desk, sessionKey)
    return handle
  }
  // Locked until the run owns the conversation, because another start may close an unused one.
  return runs.prepare(agent.id, sessionKey, begin())
}

function modelChoice({ models, runs }: Working): Pick<NativeRuntime, 'setModel' | 'checkModel'> {
  return {
    async setModel(run, model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      if (!list.ok) throw new ClawbooError('model_unknown', list.message, { details: { model } })
      await runs.find(run)?.useModel(list)
    },
    async checkModel(model) {
      const list = await models.candidates({ ref: model, chosenBy: 'person' })
      return list.ok ? null : list.message
    },
  }
}

function conversations({ runs, desks }: Working): Pick<NativeRuntime, 'hasPrompt' | 'resetSession'> {
  return {
    async hasPrompt(agent, sessionKey, promptId) {
      const desk = desks.of(agent.id)
      if (!(await desk.index()).get(sessionKey)) return false
      const session = await desk.session(sessionKey)
      desks.used(desk, sessionKey)
      return session.hasMessage(promptId)
    },
    async resetSession(agent, sessionKey) {
      const before = runs.wantFree(agent, sessionKey)
      const desk = desks.of(agent.id)
      const begin = async () => {
        await before
        await desk.closeSession(sessionKey)
        desks.forgetConversation(desk, sessionKey)
        await (await desk.index()).newSession(sessionKey)
      }
      await runs.prepare(agent.id, sessionKey, begin())
    },
  }
}
