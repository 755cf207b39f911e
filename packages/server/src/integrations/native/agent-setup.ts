import { ClawbooError } from '@clawboo/core'
import type { HostTools } from '@clawboo/core/executor'
import { type AgentRecord, conversationKind } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import type { NativeConfig } from './agent-config.ts'
import type { AgentState } from './agent-states.ts'
import { agentFile, chooseBootstrapFiles } from './bootstrap/bootstrap-file.ts'
import { ensureWorkspace } from './bootstrap/ensure-workspace.ts'
import { BOOTSTRAP_LIMITS, type BootstrapReport, fitBootstrapFiles } from './bootstrap/fit-bootstrap-files.ts'
import { readBootstrapFiles } from './bootstrap/read-bootstrap-files.ts'
import { truncationNotice } from './bootstrap/truncation-notice.ts'
import { DEFAULT_CONTEXT_WINDOW, isWindowTooSmall } from './context/context-window.ts'
import { startupReminder } from './context/startup-sections.ts'
import { type ExecPolicy, effectiveExecPolicy } from './exec/exec-policy.ts'
import type { Candidate } from './models/failover/failover.ts'
import type { Models } from './models/models.ts'
import { buildSystemPrompt, type SystemPrompt } from './prompt/system-prompt.ts'
import type { RunFolder } from './run-folder.ts'
import { agentSkills, type JudgedSkills } from './skills/agent-skills.ts'
import { BUILT_IN_TOOLS, createTools } from './tools/create-tools.ts'
import { createHostTools } from './tools/host-tools.ts'
import { resultMaxChars } from './tools/result-limit.ts'
import type { Tool } from './tools/tool.ts'
import { judgeApplyPatch, judgeTools, type ToolPolicy, type ToolVerdict } from './tools/tool-policy.ts'

/** The complete input of a run, except for the conversation itself. */
export interface AgentSetup {
  readonly candidate: Candidate
  readonly window: number
  readonly system: SystemPrompt
  /** The tools that the model is offered. */
  readonly tools: readonly Tool[]
  readonly resultMaxChars: number
  readonly files: BootstrapReport
  readonly skills: JudgedSkills
  readonly toolVerdicts: readonly ToolVerdict[]
  readonly execPolicy: ExecPolicy
  /** Added after a compaction; null = none. */
  readonly reminder: string | null
  /** Truncations that the session has already reported. */
  readonly seenWarnings: readonly string[]
}

export interface SetupInput {
  readonly host: IntegrationHost
  readonly state: AgentState
  readonly models: Models
  readonly agent: AgentRecord
  readonly config: NativeConfig
  readonly candidate: Candidate
  readonly sessionKey: string
  /** Replaces the agent's own workspace. */
  readonly runFolder?: RunFolder
  readonly hostTools?: HostTools
}

/** Reads everything again, so that a changed file, skill or rule applies to the next run. */
export async function prepareSetup(input: SetupInput): Promise<AgentSetup> {
  const { host, state, agent, config, candidate, runFolder } = input
  const ensured = await state.inOrder(() =>
    ensureWorkspace({
      workspace: state.workspace,
      agentName: agent.displayName,
      hasRevision: async (name) => (await host.records.latestFile(state.agentId, name)) !== null,
      run: { withPerson: isWithPerson(input), canReachFile: !runFolder },
      skipBootstrap: config.bootstrap?.skip ?? false,
      skipOptionalBootstrapFiles: config.bootstrap?.skipOptional ?? [],
      now: host.now,
      files: state.files,
    }),
  )
  const [window, skills, entry, approved] = await Promise.all([
    windowOf(input),
    agentSkills(host, state, config),
    state.index().then((index) => index.get(input.sessionKey)),
    state.approvals.entries(),
  ])
  const names = chooseBootstrapFiles({ ritualPending: ensured.ritual === 'full' })
  const read = await readBootstrapFiles(state.workspace, names, state.files)
  const { maxChars = BOOTSTRAP_LIMITS.maxChars, totalMaxChars = BOOTSTRAP_LIMITS.totalMaxChars } =
    config.bootstrap ?? {}
  const fitted = fitBootstrapFiles(config.bootstrap?.injection === 'never' ? [] : read, { maxChars, totalMaxChars })
  const notice = truncationNotice(config.bootstrap?.warning ?? 'always', fitted.report, entry?.bootstrapWarnings ?? [])
  const execPolicy = effectiveExecPolicy(config.exec ?? {}, approved)
  const limit = resultMaxChars(window)
  const { tools, verdicts } = offeredTools(input, skills, limit)
  const system = buildSystemPrompt({
    agentName: agent.displayName,
    tools: tools.map(({ name, description }) => ({ name, summary: firstSentence(description) })),
    skills: skills.section.text,
    workspace: state.workspace,
    folder: runFolder?.folder.path ?? null,
    timeZone: host.machine.timeZone,
    ritual: ensured.ritual,
    files: fitted.files,
    volatile: {
      date: state.dateOf(host.now()),
      runtime: { model: `${candidate.provider}/${candidate.model}`, session: input.sessionKey, host: 'clawboo' },
      truncationNotice: notice.lines,
    },
  })
  const agents = fitted.files.find(({ name }) => name === agentFile('AGENTS'))
  return {
    candidate,
    window,
    system,
    tools,
    resultMaxChars: limit,
    files: fitted.report,
    skills,
    toolVerdicts: verdicts,
    execPolicy,
    reminder: agents ? startupReminder(agents.text) : null,
    seenWarnings: notice.seen,
  }
}

function isWithPerson({ agent, sessionKey }: SetupInput): boolean {
  return conversationKind(agent.id, sessionKey) === 'person'
}

function offeredTools(input: SetupInput, skills: JudgedSkills, maxChars: number) {
  const { host, state, config, runFolder, hostTools } = input
  const lent = hostTools ? createHostTools(hostTools, BUILT_IN_TOOLS) : []
  const verdicts = judgeOffer(
    input,
    lent.map(({ name }) => name),
  )
  const allowed = new Set(verdicts.filter((verdict) => verdict.allowed).map(({ tool }) => tool))
  const ownWorkspace = host.files.folder(`${state.agentId}/workspace`)
  const built = createTools({
    ...(runFolder ? { workspace: runFolder.folder, ownWorkspace } : { workspace: ownWorkspace }),
    workspaceOnly: config.workspaceOnly ?? true,
    guardsSelf: !runFolder && !isWithPerson(input),
    exec: {
      rules: config.exec ?? {},
      approvals: state.approvals,
      ...(config.exec?.timeoutSec === undefined ? {} : { timeoutSeconds: config.exec.timeoutSec }),
    },
    env: host.processes.environment(),
    commandSessions: runFolder?.commands ?? state.commands,
    confinement: host.processes.confinement,
    ...(runFolder ? { commandReads: runFolder.reads } : {}),
    backgroundAllowed: allowed.has('process'),
    readableFolders: skills.foldersOutside,
    resultMaxChars: maxChars,
  })
  return { tools: [...built, ...lent].filter(({ name }) => allowed.has(name)), verdicts }
}

function judgeOffer({ config, candidate }: SetupInput, lent: readonly string[]): readonly ToolVerdict[] {
  const patch = judgeApplyPatch(config.exec?.applyPatch ?? {}, candidate)
  const policy: ToolPolicy = {
    // A profile limits only the runtime's own tools; the host has already chosen the host tools.
    everyone: { profile: 'coding', alsoAllow: ['group:host'] },
    agent: config.tools,
    groups: { host: lent },
  }
  return judgeTools(policy, [...BUILT_IN_TOOLS, ...lent]).map((verdict) =>
    verdict.tool === 'apply_patch' && verdict.allowed && !patch.offered
      ? { ...verdict, allowed: false, reason: patch.reason }
      : verdict,
  )
}

/** The part of a model's context window that an agent may use. Rejects when it is too small. */
export async function windowOf({
  models,
  candidate,
  config,
}: Pick<SetupInput, 'models' | 'candidate' | 'config'>): Promise<number> {
  const own = (await models.describe(candidate)).contextWindow ?? DEFAULT_CONTEXT_WINDOW
  const window = Math.min(config.contextWindowTokens ?? own, own)
  if (isWindowTooSmall(window)) {
    const ref = `${candidate.provider}/${candidate.model}`
    throw new ClawbooError('model_unknown', `${ref} accepts ${window} tokens, which is too few for an agent`)
  }
  return window
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
}
