import { type CommandVariables, commandEnvironment, environmentProblem } from '../exec/command-environment.ts'
import type { CommandRequest } from '../exec/command-session.ts'
import type { CommandSessions } from '../exec/command-sessions.ts'
import { type EffectiveExecPolicy, type ExecRules, effectiveExecPolicy } from '../exec/effective-exec-policy.ts'
import type { ExecApprovals } from '../exec/exec-approvals.ts'
import { decideExec, programsOf, tightenAsk } from '../exec/exec-policy.ts'
import { resolvePrograms } from '../exec/resolve-programs.ts'
import { wordsLeadingOut } from '../exec/word-reach.ts'
import { defineTool, failure } from './define-tool.ts'
import { runCommand } from './run-command.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'
import type { WorkspaceFiles } from './workspace-files.ts'

const DEFAULT_TIMEOUT_SECONDS = 1800
const DEFAULT_YIELD_MS = 10_000
const MAX_TIMEOUT_SECONDS = 7 * 24 * 3600

export interface ExecToolDeps {
  readonly files: WorkspaceFiles
  /** What every place says about commands, without what a person allowed for ever. */
  readonly rules: readonly ExecRules[]
  readonly approvals: ExecApprovals
  readonly approverPresent: () => boolean
  readonly environment: Omit<CommandVariables, 'overrides'>
  readonly sessions: CommandSessions
  /** False when the agent has no `process` tool: then every command is waited for. */
  readonly backgroundAllowed: boolean
  /** For commands a person allowed as they are; `/bin/sh` unless another one is named. */
  readonly shell?: string
  readonly timeoutSeconds?: number
}

/** Arguments of other hosts that models send out of habit. They decide nothing here. */
const IGNORED = ['security', 'host', 'node', 'elevated']

const BACKGROUND = {
  yieldMs: { type: 'number', description: 'How long to wait before it goes on in the background (10000).' },
  background: { type: 'boolean', description: 'Go on in the background at once.' },
} as const

export function createExecTool(deps: ExecToolDeps): Tool {
  const tool = defineTool({
    name: 'exec',
    description:
      'Runs a shell command in the workspace' +
      (deps.backgroundAllowed
        ? '. One that takes longer than yieldMs goes on in the background and is reached with the process tool. Start it with background: true to write to its input.'
        : ' and waits for its end.'),
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command line.' },
        workdir: { type: 'string', minLength: 1, description: 'Folder to run in; the workspace unless given.' },
        env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Further variables.' },
        ...(deps.backgroundAllowed ? BACKGROUND : {}),
        timeout: { type: 'number', minimum: 0, description: 'Seconds after which it is stopped (1800); 0 = never.' },
        pty: { type: 'boolean', description: 'Not available: commands run without a terminal.' },
        ask: { type: 'string', enum: ['off', 'on-miss', 'always'], description: 'Ask the person more often.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    run: (input, context) => exec(deps, input as unknown as ExecInput, context),
  })
  const ignored = deps.backgroundAllowed ? IGNORED : [...IGNORED, ...Object.keys(BACKGROUND)]
  const relevant = (input: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => !ignored.includes(name)))
  return {
    ...tool,
    check: (input) => tool.check(relevant(input)),
    run: (input, context) => tool.run(relevant(input), context),
  }
}

interface ExecInput {
  readonly command: string
  readonly workdir?: string | null
  readonly env?: Readonly<Record<string, string>> | null
  readonly yieldMs?: number | null
  readonly background?: boolean | null
  readonly timeout?: number | null
  readonly pty?: boolean | null
  readonly ask?: string | null
}

/** The policy in force right now: what was allowed for ever counts from the next command on. */
async function currentExecPolicy(
  deps: Pick<ExecToolDeps, 'rules' | 'approvals' | 'approverPresent'>,
): Promise<EffectiveExecPolicy> {
  const kept = { from: 'a person who chose "always allow"', allowlist: await deps.approvals.entries() }
  return effectiveExecPolicy([...deps.rules, kept], deps.approverPresent())
}

async function exec(deps: ExecToolDeps, input: ExecInput, context: ToolContext): Promise<ToolResult> {
  if (input.pty) return failure('There is no terminal here: run the command without pty. Nothing was run.')
  const overrides = withoutNulls(input.env ?? {})
  const problem = environmentProblem(overrides)
  if (problem !== null) return failure(`Refused: ${problem}. Nothing was run.`, { status: 'refused' })
  const folder = await deps.files.enter(input.workdir ?? '.')
  if (folder === null) return failure(`There is no folder "${input.workdir ?? '.'}". Nothing was run.`)
  try {
    const env = commandEnvironment({ ...deps.environment, overrides })
    const request = Object.freeze<CommandRequest>({
      shell: deps.shell ?? '/bin/sh',
      command: input.command,
      cwd: folder.path,
      at: folder.at,
      env: Object.freeze(env),
      timeoutMs: Math.min(MAX_TIMEOUT_SECONDS, input.timeout ?? deps.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      input: deps.backgroundAllowed && input.background === true,
    })
    const permitted = await permit(deps, request, overrides, input.ask, context)
    if ('refusal' in permitted) return permitted.refusal
    if (context.signal.aborted) return failure('Stopped before it began; nothing was run.', { status: 'aborted' })
    const yieldMs = Math.min(120_000, Math.max(10, input.yieldMs ?? DEFAULT_YIELD_MS))
    const wait = !deps.backgroundAllowed ? 'until-the-end' : input.background ? 'not' : yieldMs
    return await runCommand(deps.sessions, permitted.request, { wait, shown: input.command, signal: context.signal })
  } finally {
    await folder.close()
  }
}

/** The very request to run, or why not. Asks the person about the request itself, so nothing can differ afterwards. */
async function permit(
  deps: ExecToolDeps,
  request: CommandRequest,
  overrides: Readonly<Record<string, string>>,
  wantedAsk: unknown,
  context: ToolContext,
): Promise<{ readonly request: CommandRequest } | { readonly refusal: ToolResult }> {
  const policy = await currentExecPolicy(deps)
  const where = { cwd: request.cwd, workspace: deps.files.root }
  const decision = decideExec({
    ...policy,
    command: request.command,
    ask: tightenAsk(policy.ask, wantedAsk),
    env: overrides,
    resolvedPaths: await resolvePrograms(programsOf(request.command), { ...where, path: request.env.PATH ?? '' }),
    leadingOut: await wordsLeadingOut(request.command, where),
  })
  if (decision.kind === 'refuse') {
    return {
      refusal: failure(`Refused: ${decision.reason}. Nothing was run.`, { status: 'refused', reason: decision.reason }),
    }
  }
  if (decision.kind === 'run') {
    // A command nobody looks at runs as it was understood, in the shell it was understood for.
    return {
      request: policy.security === 'full' ? request : { ...request, shell: '/bin/sh', command: decision.command },
    }
  }
  const answer = await context.askApproval({
    tool: 'exec',
    action: request.command,
    cwd: request.cwd,
    env: overrides,
    reason: decision.reason,
    mayAlwaysAllow: decision.mayAlwaysAllow,
  })
  if (answer === 'allow-always' && decision.mayAlwaysAllow) await deps.approvals.add(decision.entries)
  if (answer === 'allow-once' || answer === 'allow-always') return { request }
  const text = 'Denied: this command was not allowed. Nothing was run, so there is no output.'
  return { refusal: failure(text, { status: 'denied', reason: decision.reason }) }
}

function withoutNulls(env: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
