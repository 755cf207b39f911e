import { ClawbooError } from '@clawboo/core'
import type { StartOptions, TaskHandle } from '@clawboo/core/executor'
import type { IntegrationHost } from '../../host.ts'
import { checkExecConfig, type NativeConfig } from '../agent-config.ts'
import { type AgentSetup, prepareSetup, windowOf } from '../agent-setup.ts'
import type { AgentState } from '../agent-states.ts'
import { describeShortened } from '../bootstrap/truncation-notice.ts'
import { createRepeatWatch, DEFAULT_REPEAT_LIMITS } from '../context/repeat-guard.ts'
import { CHARS_PER_TOKEN } from '../context/token-estimate.ts'
import type { CandidateList, Models } from '../models/models.ts'
import { openRunFolder } from '../run-folder.ts'
import type { Session } from '../session/session.ts'
import type { AgentRun } from './agent-run.ts'
import { createAgentTools } from './agent-tools.ts'
import { type ChainModel, createChainModel } from './chain-model.ts'
import type { LoopSession } from './loop-ports.ts'
import { createRunApprovals } from './run-approvals.ts'
import { createRunEvents } from './run-events.ts'
import { RunGate } from './run-gate.ts'
import { createSessionContext, summariser } from './session-context.ts'
import { createTextOutput } from './text-output.ts'

export interface PreparedRun {
  readonly run: AgentRun
  readonly controller: AbortController
  readonly sessionId: string
  readonly startedDetail: string
  readonly notices: readonly string[]
  /** Rejects when the model's context window is too small for the agent. */
  useModel(list: CandidateList): Promise<void>
  /** Updates the index of conversations. Call it after the last event. */
  finished(): Promise<void>
}

interface RunInput {
  readonly host: IntegrationHost
  readonly state: AgentState
  readonly models: Models
  readonly task: TaskHandle
  readonly options: StartOptions
}

const APPROVAL_TIMEOUT_MS = 30 * 60_000

/** Sets up one run. Rejects before anything has started when the agent's settings or its model are not usable. */
export async function prepareRun(input: RunInput): Promise<PreparedRun> {
  const { host, state, models, task, options } = input
  const { agent, sessionKey } = task
  const config = checkExecConfig(agent.execConfig) ?? {}
  const list = await chooseModels(models, config, options.model)
  const candidate = list.chain[0]!
  const runFolder = await openRunFolder(host, options.folder, options.folderReads)
  const setup = await prepareSetup({
    host,
    state,
    models,
    agent,
    config,
    candidate,
    sessionKey,
    runFolder,
    hostTools: options.hostTools,
  })
  const session = await state.session(sessionKey)
  let { window } = setup
  const controller = new AbortController()
  const { run, model } = createRun(input, {
    config,
    list,
    setup,
    session,
    window: () => window,
    signal: controller.signal,
    ...(runFolder ? { stopLeftovers: () => runFolder.commands.dispose() } : {}),
  })
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
      const index = await state.index()
      const changes = { lastInteractionAt: host.now(), bootstrapWarnings: setup.seenWarnings }
      await index.update(sessionKey, changes)
    },
  }
}

interface RunSetup {
  readonly config: NativeConfig
  readonly list: CandidateList
  readonly setup: AgentSetup
  readonly session: Session
  /** The window of the model that is called next, in tokens. */
  readonly window: () => number
  readonly signal: AbortSignal
  readonly stopLeftovers?: () => Promise<void>
}

function createRun(
  { host, state, models, task, options }: RunInput,
  { config, list, setup, session, window, signal, stopLeftovers }: RunSetup,
): { readonly run: AgentRun; readonly model: ChainModel } {
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
  const context = createSessionContext({
    session,
    window,
    fixedTokens: fixedTokens(setup),
    estimator: state.estimator,
    summarise: summariser({ models, list: () => model.list, events, window }),
    reminder: setup.reminder,
    guard: options.guard,
    events,
    prunes: config.pruning === 'on' || (config.pruning !== 'off' && setup.candidate.provider === 'anthropic'),
    toolResultMaxChars: setup.resultMaxChars,
    onCompacted: () => repeats.compacted(),
    now: host.now,
  })
  const run: AgentRun = {
    prompt: task.prompt,
    gate: new RunGate(),
    events,
    approvals: createRunApprovals({ events, timeoutMs: APPROVAL_TIMEOUT_MS }),
    guard: options.guard,
    session: loopSession(session, () => state.closeSession(task.sessionKey)),
    context,
    model,
    tools,
    text: createTextOutput(events, config.blockStreaming ?? {}),
    repeats,
    stopLeftovers,
    signal,
    now: host.now,
  }
  return { run, model }
}

/**
 * Closes the session when a write fails. Otherwise a call whose result could not be written would stay open in memory;
 * reopening the session gives the call an `aborted` result.
 */
function loopSession(session: Session, close: () => Promise<void>): LoopSession {
  return {
    hasMessage: (id) => session.hasMessage(id),
    async append(messages) {
      try {
        await session.append(...messages)
      } catch (error) {
        await close()
        throw error
      }
    },
    sync: () => session.sync(),
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

/** Notices to show the person before the run starts. */
function setupNotices(setup: AgentSetup, session: Session): string[] {
  const { brokenLines } = session.repaired
  const { notice } = setup.skills.section
  return [
    ...describeShortened(setup.files),
    ...(notice ? [notice] : []),
    ...(brokenLines > 0 ? [`${brokenLines} damaged lines of the transcript were moved to a separate file`] : []),
    ...(session.olderLeftOut ? ['the conversation is very long: the agent no longer sees its oldest messages'] : []),
  ]
}
