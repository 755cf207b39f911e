import { ClawbooError } from '@clawboo/core'
import type { StartOptions, TaskHandle } from '@clawboo/core/executor'
import type { IntegrationHost } from '../../host.ts'
import { checkExecConfig, type NativeConfig } from '../agent-config.ts'
import type { AgentDesk } from '../agent-desk.ts'
import { type AgentSetup, prepareSetup, windowOf } from '../agent-setup.ts'
import { describeShortened } from '../bootstrap/truncation-notice.ts'
import { DEFAULT_REPEAT_LIMITS } from '../context/repeat-guard.ts'
import { CHARS_PER_TOKEN } from '../context/token-estimate.ts'
import type { CandidateList, Models } from '../models/models.ts'
import { openWorkplace } from '../run-workplace.ts'
import type { Session } from '../session/session.ts'
import type { AgentRun } from './agent-run.ts'
import { createAgentTools } from './agent-tools.ts'
import { createChainModel } from './chain-model.ts'
import { createRepeatWatch } from './repeat-watch.ts'
import { createRunApprovals } from './run-approvals.ts'
import { createRunEvents } from './run-events.ts'
import { RunGate } from './run-gate.ts'
import { createSessionContext } from './session-context.ts'
import { summariser } from './summariser.ts'
import { createTextOutput } from './text-output.ts'

export interface PreparedRun {
  readonly run: AgentRun
  readonly controller: AbortController
  readonly sessionId: string
  readonly startedDetail: string
  readonly notices: readonly string[]
  /** Rejects when the agent cannot work with it. */
  useModel(list: CandidateList): Promise<void>
  /** After the last event. */
  finished(): Promise<void>
}

const APPROVAL_TIMEOUT_MS = 30 * 60_000

/** Puts one run together. Rejects, with nothing begun, when the agent's settings or its model cannot be used. */
export async function prepareRun(input: {
  readonly host: IntegrationHost
  readonly desk: AgentDesk
  readonly models: Models
  readonly task: TaskHandle
  readonly options: StartOptions
}): Promise<PreparedRun> {
  const { host, desk, models, task, options } = input
  const config = checkExecConfig(task.agent.execConfig) ?? {}
  const list = await chooseModels(models, config, options.model)
  const candidate = list.chain[0]!
  const { agent, sessionKey } = task
  const workplace = await openWorkplace(host, options.folder)
  const { hostTools } = options
  const setup = await prepareSetup({ ...input, agent, config, candidate, sessionKey, workplace, hostTools })
  const session = await desk.session(sessionKey)
  let { window } = setup
  const controller = new AbortController()
  const events = createRunEvents(options.runId, session.sessionId, host.now)
  const tools = createAgentTools({
    tools: setup.tools,
    resultMaxChars: setup.resultMaxChars,
    view: { level: options.verbose ?? config.verbose ?? 'off', home: host.machine.userHome },
  })
  const model = createChainModel({
    models,
    list,
    windowOf: async (provider, name) => (await models.describe({ provider, model: name })).contextWindow,
    requestFor: (messages) => ({ ...requestBase(setup, config, session), messages }),
    noteBadArguments: tools.noteBadArguments,
  })
  const repeats = createRepeatWatch(tools.faultOf, {
    ...DEFAULT_REPEAT_LIMITS,
    ...(config.identicalRounds === undefined ? {} : { stop: config.identicalRounds }),
  })
  const run: AgentRun = {
    prompt: task.prompt,
    gate: new RunGate(),
    events,
    approvals: createRunApprovals({ events, timeoutMs: APPROVAL_TIMEOUT_MS }),
    guard: options.guard,
    session: {
      hasMessage: (id) => session.hasMessage(id),
      async append(messages) {
        try {
          await session.append(...messages)
        } catch (error) {
          // A call whose result could not be written would stay open in memory for ever; opening it anew answers it.
          await desk.closeSession(sessionKey)
          throw error
        }
      },
      sync: () => session.sync(),
    },
    context: createSessionContext({
      session,
      window: () => window,
      fixedTokens: fixedTokens(setup),
      estimator: desk.estimator,
      summarise: summariser({ models, list: () => model.list, events, window: () => window }),
      reminder: setup.reminder,
      guard: options.guard,
      events,
      prunes: config.pruning === 'on' || (config.pruning !== 'off' && candidate.provider === 'anthropic'),
      toolResultMaxChars: setup.resultMaxChars,
      onCompacted: () => repeats.compacted(),
      now: host.now,
    }),
    model,
    tools,
    text: createTextOutput(events, config.blockStreaming ?? {}),
    repeats,
    ...(workplace ? { letGo: () => workplace.commands.dispose() } : {}),
    signal: controller.signal,
    now: host.now,
  }
  return {
    run,
    controller,
    sessionId: session.sessionId,
    startedDetail: `${candidate.provider}/${candidate.model}`,
    notices: [...list.warnings, ...setupNotices(setup, session)],
    async useModel(next) {
      window = await windowOf({ models, config, candidate: next.chain[0]! })
      model.use(next)
    },
    async finished() {
      const index = await desk.index()
      const changes = { lastInteractionAt: host.now(), bootstrapWarnings: setup.seenWarnings }
      await index.update(sessionKey, changes).catch(() => {})
    },
  }
}

async function chooseModels(models: Models, config: NativeConfig, chosen: string | undefined): Promise<CandidateList> {
  const list = await models.candidates({
    ref: chosen ?? config.model ?? null,
    chosenBy: chosen ? 'person' : config.model ? 'agent' : 'default',
    ...(config.fallbackModels && !chosen ? { fallbacks: config.fallbackModels } : {}),
  })
  if (!list.ok) throw new ClawbooError('model_unknown', list.message)
  return list
}

function requestBase(setup: AgentSetup, config: NativeConfig, session: Session) {
  return {
    system: setup.system,
    tools: setup.tools,
    cacheKey: session.sessionId,
    ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
    ...(config.reasoning === undefined ? {} : { reasoning: config.reasoning }),
  }
}

function fixedTokens({ system, tools }: AgentSetup): number {
  const schemas = tools.reduce(
    (sum, tool) => sum + tool.description.length + JSON.stringify(tool.inputSchema).length,
    0,
  )
  return Math.ceil((system.text.length + schemas) / CHARS_PER_TOKEN)
}

/** What the person is to know about this run before it begins. */
function setupNotices(setup: AgentSetup, session: Session): string[] {
  const { brokenLines } = session.repaired
  const repaired = brokenLines > 0 ? [`${brokenLines} broken lines of the transcript were put aside`] : []
  return [
    ...describeShortened(setup.files),
    ...(setup.skills.section.notice ? [setup.skills.section.notice] : []),
    ...repaired,
  ]
}
