import { ClawbooError } from '../clawboo-error.ts'
import {
  type ApprovalAnswer,
  type Capabilities,
  fixedCatalogue,
  NO_CAPABILITIES,
  type Prompt,
  type RunHandle,
  type RuntimeAdapter,
  type RuntimeCatalogue,
  type RuntimeDefinition,
  type SessionCodec,
} from '../executor/index.ts'
import type { RuntimeId } from '../registry/index.ts'
import { MemoryRun } from './memory-run.ts'
import { isFolder } from './memory-run-tools.ts'
import {
  beginSession,
  emptyRuntimeState,
  type MemoryRuntimeState,
  type MemorySession,
  sessionsOf,
} from './memory-runtime-state.ts'

export interface MemoryRuntimeOptions {
  readonly id?: RuntimeId
  /** Added to NO_CAPABILITIES. */
  readonly claims?: Partial<Capabilities>
  /** The claims that remain after the handshake. Default: all of them. */
  readonly agreed?: Partial<Capabilities>
  readonly state?: MemoryRuntimeState
  /** The first model is the default. */
  readonly models?: readonly [string, ...string[]]
}

export interface DescribedAdapter extends RuntimeAdapter {
  /** The claims in the runtime's descriptor. */
  readonly claims: Capabilities
}

export interface MemoryRuntimeAdapter extends DescribedAdapter {
  /** Ends every run as if the process had been killed. */
  crash(): Promise<void>
}

/**
 * The reference RuntimeAdapter. Its model plays the script in the prompt, and all its state is in memory. It
 * demonstrates the contract for any set of claims; every other runtime must behave the same. A run's working folder is
 * a real folder.
 */
export function createMemoryRuntimeAdapter(options: MemoryRuntimeOptions = {}): MemoryRuntimeAdapter {
  const { id = 'memory', models = ['memory/boo'], state = emptyRuntimeState() } = options
  const claims: Capabilities = { ...NO_CAPABILITIES, ...options.claims }
  const agreed: Capabilities = { ...claims, ...options.agreed }
  const runs = new Map<string, MemoryRun>()
  let disposed = false
  const problemWith = (model: string) => {
    if (!agreed.models) return `this runtime takes no model by name, so not "${model}" either`
    return models.includes(model) ? null : `there is no model "${model}"; try ${models.join(' or ')}`
  }
  const endAll = async (because: 'disposed' | 'process_died') => {
    const running = [...runs.values()]
    for (const run of running) run.interrupt(because)
    await Promise.all(running.map((run) => run.ended))
  }

  return {
    id,
    participantKind: 'agent',
    claims,
    capabilities: () => agreed,
    health: async () => ({ state: disposed ? 'unavailable' : 'ready', detail: null }),
    async start({ agent, files, sessionKey, prompt }, start) {
      if (disposed) throw new TypeError(`the runtime "${id}" is disposed`)
      const { folder } = start
      if (agreed.worktrees && folder !== null && !(await isFolder(folder)))
        throw new ClawbooError('path_refused', `there is no folder "${folder}" to work in`)
      const session = agreed.resume ? sessionToGoOn(state, agent.id, sessionKey, start.resume) : null
      const run = new MemoryRun({
        state,
        claims: agreed,
        agentId: agent.id,
        options: start,
        prompt,
        soul: agreed.readsFiles ? files['SOUL.md'] : null,
        session: session ?? beginSession(state, agent.id, sessionKey),
        model: start.model ?? models[0],
        modelProblem: start.model === undefined ? null : problemWith(start.model),
      })
      runs.set(start.runId, run)
      void run.ended.then(() => runs.delete(start.runId))
      return { runId: start.runId, sessionId: session?.id ?? null }
    },
    events({ runId }) {
      const run = runs.get(runId)
      if (!run) throw new TypeError(`there is no run "${runId}"`)
      return run.events
    },
    abort: async ({ runId }) => runs.get(runId)?.interrupt('aborted'),
    ...claimedParts(claims, runs, problemWith),
    ...viewParts(claims, models),
    ...(claims.resume && durableParts(state)),
    async forget(agentId) {
      for (const session of state.sessions.values()) if (session.agentId === agentId) state.sessions.delete(session.id)
    },
    crash: () => endAll('process_died'),
    dispose() {
      disposed = true
      return endAll('disposed')
    },
  }
}

/** Wraps an existing adapter in a definition that accepts any config. */
export function definitionOf(
  adapter: DescribedAdapter,
  more: Partial<RuntimeDefinition['descriptor']> = {},
): RuntimeDefinition {
  const { id, participantKind, claims } = adapter
  return {
    descriptor: { id, label: id, description: '', participantKind, claims, ...more },
    checkExecConfig: async (config) => config ?? null,
    load: async () => adapter,
  }
}

export function catalogueOf(...adapters: readonly DescribedAdapter[]): RuntimeCatalogue {
  return fixedCatalogue(...adapters.map((adapter) => definitionOf(adapter)))
}

const NO_ACTIVE_RUN = { accepted: false, reason: 'no_active_run' } as const

const codec: SessionCodec = {
  encode: ({ sessionId }) => (sessionId === null ? null : `memory:${sessionId}`),
  decode(text) {
    const sessionId = /^memory:(session-\d+)$/.exec(text)?.[1]
    return sessionId === undefined ? null : { sessionId }
  },
}

type Run = Pick<RunHandle, 'runId'>

/** Includes each optional method exactly when its capability is claimed. */
function claimedParts(
  claims: Capabilities,
  runs: ReadonlyMap<string, MemoryRun>,
  problemWith: (model: string) => string | null,
): Pick<RuntimeAdapter, 'steer' | 'answerApproval' | 'setModel' | 'checkModel'> {
  return {
    ...(claims.steering && {
      steer: async ({ runId }: Run, prompt: Prompt) => runs.get(runId)?.steer(prompt) ?? NO_ACTIVE_RUN,
    }),
    ...(claims.toolApproval && {
      answerApproval: async ({ runId }: Run, approvalId: string, answer: ApprovalAnswer) =>
        runs.get(runId)?.answerApproval(approvalId, answer) ?? false,
    }),
    ...(claims.models && {
      checkModel: async (model: string) => problemWith(model),
      async setModel({ runId }: Run, model: string) {
        const problem = problemWith(model)
        if (problem !== null) throw new ClawbooError('model_unknown', problem, { details: { model } })
        runs.get(runId)?.setModel(model)
      },
    }),
  }
}

function viewParts(
  claims: Capabilities,
  models: readonly [string, ...string[]],
): Pick<RuntimeAdapter, 'inspect' | 'listModels' | 'workspace'> {
  const nothing = { files: [], skills: [], tools: [], commandPolicy: [], systemPromptCharacters: 0 }
  return {
    ...(claims.inspectable && { inspect: async () => ({ model: { ref: models[0], problem: null }, ...nothing }) }),
    ...(claims.ownModels && { listModels: async () => models.map((ref) => ({ ref, label: ref })) }),
    ...(claims.hasWorkspace && {
      workspace: () => ({ list: async () => ({ entries: [], truncated: false }), read: async () => null }),
    }),
  }
}

/** The methods that only a runtime with durable conversations has. */
function durableParts(state: MemoryRuntimeState): Pick<RuntimeAdapter, 'sessionCodec' | 'hasPrompt' | 'resetSession'> {
  return {
    sessionCodec: codec,
    hasPrompt: async (agent, sessionKey, promptId) =>
      sessionsOf(state, agent.id, sessionKey).some((session) => session.promptIds.has(promptId)),
    async resetSession(agent, sessionKey) {
      for (const session of sessionsOf(state, agent.id, sessionKey)) session.current = false
    },
  }
}

/** Returns the conversation that the host names, or else the current one for this key; null = none yet. */
function sessionToGoOn(
  state: MemoryRuntimeState,
  agentId: string,
  sessionKey: string,
  resume: string | null,
): MemorySession | null {
  const named = resume === null ? undefined : state.sessions.get(codec.decode(resume)?.sessionId ?? '')
  return named ?? sessionsOf(state, agentId, sessionKey).find((session) => session.current) ?? null
}
