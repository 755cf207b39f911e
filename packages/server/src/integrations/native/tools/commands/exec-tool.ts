import type { Boundary, HostProcesses, Readable } from '../../../host.ts'
import { environmentProblem } from '../../exec/command-environment.ts'
import type { CommandRequest, CommandSessions } from '../../exec/command-sessions.ts'
import type { ExecApprovals } from '../../exec/exec-approvals.ts'
import { decideExec, type ExecRules, effectiveExecPolicy, programsOf, tightenAsk } from '../../exec/exec-policy.ts'
import { resolvePrograms } from '../../exec/resolve-programs.ts'
import { wordsLeadingOut } from '../../exec/word-reach.ts'
import { defineTool, failure } from '../define-tool.ts'
import type { WorkspaceFiles } from '../files/workspace-files.ts'
import type { Tool, ToolContext, ToolResult } from '../tool.ts'
import { runCommand } from './run-command.ts'

const DEFAULT_TIMEOUT_SECONDS = 1800
const DEFAULT_YIELD_MS = 10_000
const MAX_TIMEOUT_SECONDS = 7 * 24 * 3600

export interface ExecToolDeps {
  readonly files: WorkspaceFiles
  readonly rules: ExecRules
  readonly approvals: ExecApprovals
  /** The variables that a command may inherit from the server. */
  readonly env: Readonly<Record<string, string>>
  readonly sessions: CommandSessions
  readonly confinement: HostProcesses['confinement']
  /** Files and folders outside the workspace that commands may read. */
  readonly readable: readonly Readable[]
  /** False when the agent has no `process` tool. The tool then waits for every command to end. */
  readonly backgroundAllowed: boolean
  readonly timeoutSeconds?: number
}

/** Arguments of other products that models send out of habit. They have no effect here. */
const IGNORED = ['security', 'host', 'node', 'elevated']

const BACKGROUND = {
  yieldMs: {
    type: 'number',
    description: 'Milliseconds to wait before the command continues in the background (10000).',
  },
  background: { type: 'boolean', description: 'Run in the background at once.' },
} as const

export function createExecTool(deps: ExecToolDeps): Tool {
  const tool = defineTool({
    name: 'exec',
    description:
      'Runs a shell command in the workspace' +
      (deps.backgroundAllowed
        ? '. A command that takes longer than yieldMs continues in the background, where the process tool can reach it. Start it with background: true to write to its input.'
        : ' and waits until it ends.'),
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command line.' },
        workdir: { type: 'string', minLength: 1, description: 'Folder to run in; the workspace by default.' },
        env: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Additional environment variables.',
        },
        ...(deps.backgroundAllowed ? BACKGROUND : {}),
        timeout: {
          type: 'number',
          minimum: 0,
          description: 'Seconds after which the command is stopped (1800); 0 = never.',
        },
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

async function exec(deps: ExecToolDeps, input: ExecInput, context: ToolContext): Promise<ToolResult> {
  if (input.pty) return failure('No terminal is available: run the command without pty. Nothing was run.')
  const overrides = withoutNulls(input.env ?? {})
  const problem = environmentProblem(overrides)
  if (problem !== null) return failure(`Refused: ${problem}. Nothing was run.`, { status: 'refused' })
  const folder = await deps.files.enter(input.workdir ?? '.')
  if (folder === null) return failure(`There is no folder "${input.workdir ?? '.'}". Nothing was run.`)
  try {
    const boundary = await boundaryOf(deps, folder.path)
    const request = Object.freeze<CommandRequest>({
      shell: '/bin/sh',
      command: input.command,
      cwd: folder.path,
      at: folder.at,
      boundary,
      env: Object.freeze({ ...deps.env, ...overrides }),
      timeoutMs: Math.min(MAX_TIMEOUT_SECONDS, input.timeout ?? deps.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      input: deps.backgroundAllowed && input.background === true,
    })
    const permitted = await permit(deps, request, overrides, input.ask, context)
    if ('refusal' in permitted) return permitted.refusal
    if (context.signal.aborted) return failure('Stopped before it started; nothing was run.', { status: 'aborted' })
    const yieldMs = Math.min(120_000, Math.max(10, input.yieldMs ?? DEFAULT_YIELD_MS))
    const wait = !deps.backgroundAllowed ? 'until-the-end' : input.background ? 'not' : yieldMs
    return await runCommand(deps.sessions, permitted.request, { wait, shown: input.command, signal: context.signal })
  } finally {
    await folder.close()
  }
}

/** A command may change the workspace and the folder that it runs in, which the file tools may change too. */
async function boundaryOf({ confinement, files, readable }: ExecToolDeps, cwd: string): Promise<Boundary> {
  const found = await confinement()
  if (!found.isOn) return 'unconfined'
  return found.confine({ writable: [...new Set([files.root, cwd])], readable, proxySocket: null })
}

/**
 * Returns the request to run, or a refusal. The person approves this very request, so that it cannot change between the
 * approval and the run.
 */
async function permit(
  deps: ExecToolDeps,
  request: CommandRequest,
  overrides: Readonly<Record<string, string>>,
  wantedAsk: unknown,
  context: ToolContext,
): Promise<{ readonly request: CommandRequest } | { readonly refusal: ToolResult }> {
  // Read for every command, so that "always allow" applies from the next command on.
  const policy = effectiveExecPolicy(deps.rules, await deps.approvals.entries())
  const where = { cwd: request.cwd, workspace: deps.files.root }
  const decision = decideExec({
    ...policy,
    command: request.command,
    ask: tightenAsk(policy.ask, wantedAsk),
    env: overrides,
    isConfined: request.boundary !== 'unconfined',
    resolvedPaths: await resolvePrograms(programsOf(request.command), { ...where, path: request.env.PATH ?? '' }),
    leadingOut: await wordsLeadingOut(request.command, where),
  })
  if (decision.kind === 'refuse') {
    return {
      refusal: failure(`Refused: ${decision.reason}. Nothing was run.`, { status: 'refused', reason: decision.reason }),
    }
  }
  if (decision.kind === 'run') {
    // Without a person's approval, run exactly the command that was decided on.
    return { request: { ...request, command: decision.command } }
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
  const text = 'Denied: the person did not allow this command. Nothing was run, so there is no output.'
  return { refusal: failure(text, { status: 'denied', reason: decision.reason }) }
}

function withoutNulls(env: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
