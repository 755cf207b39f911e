import { keepBothEnds } from '../../processes/bounded-output.ts'
import { childEnvironment } from '../../processes/child-environment.ts'
import { startProcess } from '../../processes/start-process.ts'
import { diffOf, wantFiles } from './diff-of.ts'
import { asRefusal, type Refusal, refuse, type Workplace } from './workplace.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface CheckOptions {
  readonly timeLimitMs?: number
  /** Added to the search path, an own home and the language; nothing of the server's is inherited. */
  readonly environment?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Check {
  readonly command: string
  /** The evidence. Null when it was ended from outside, or did not end in time. */
  readonly exitCode: number | null
  readonly end: 'exited' | 'killed' | 'timed-out' | 'aborted'
  readonly output: string
  /** How many bytes are missing in the middle of the output. */
  readonly omittedBytes: number
  readonly startedAt: number
  readonly endedAt: number
  /** The diff's hash before and after. A check that changes files is no evidence for what it left behind. */
  readonly sha256Before: string | null
  readonly sha256After: string | null
}

export type CheckResult = { readonly ok: true; readonly check: Check } | Refusal

/** Runs the team's check command in the workplace. The person wrote the command, so a shell reads it. */
export async function runCheck(
  context: WorktreesContext,
  workplace: Workplace,
  command: string,
  options: CheckOptions = {},
): Promise<CheckResult> {
  return asRefusal(async () => {
    if (command.trim() === '' || command.includes('\0'))
      return refuse('check_not_started', 'There is no command to run.')
    if (workplace.kind !== 'none') await wantFiles(context, workplace)
    const sha256Before = await hashOf(context, workplace)
    const startedAt = context.now()
    const ended = await run(context, workplace.folder, command, options)
    if (ended.failure !== null) return refuse('check_not_started', `The check could not be started (${ended.failure}).`)
    const endedAt = context.now()
    const sha256After = await hashOf(context, workplace)
    const { end, exitCode, output, omittedBytes } = ended
    return {
      ok: true,
      check: { command, exitCode, end, output, omittedBytes, startedAt, endedAt, sha256Before, sha256After },
    }
  })
}

/** Taking it before the check also fixes when the content was last changed. */
async function hashOf(context: WorktreesContext, workplace: Workplace): Promise<string | null> {
  if (workplace.kind === 'none') return null
  const result = await diffOf(context, workplace)
  return result.ok ? result.diff.sha256 : null
}

interface Ended {
  readonly end: Check['end']
  readonly exitCode: number | null
  /** The error code when the shell could not be started. */
  readonly failure: string | null
  readonly output: string
  readonly omittedBytes: number
}

async function run(context: WorktreesContext, cwd: string, command: string, options: CheckOptions): Promise<Ended> {
  const { program, limits } = context
  const output = keepBothEnds(limits.outputBytes)
  const running = startProcess({
    program: '/bin/sh',
    args: ['-c', command],
    cwd,
    env: childEnvironment(
      { PATH: program.path },
      { HOME: context.checkHome, LANG: 'C.UTF-8', CI: '1', GIT_TERMINAL_PROMPT: '0', ...options.environment },
    ),
    stdin: 'none',
    timeoutMs: options.timeLimitMs ?? limits.checkMs,
    onOutput: (_stream, chunk) => output.add(chunk),
  })
  const abort = () => void running.stop()
  options.signal?.addEventListener('abort', abort)
  if (options.signal?.aborted) abort()
  const { exitCode, timedOut, stopped, failure } = await running.exited
  options.signal?.removeEventListener('abort', abort)
  // A process that the check left in the background may change the files, or never close the output.
  await running.stop()
  await running.gone
  const cause = timedOut ? 'timed-out' : stopped ? 'aborted' : null
  return {
    end: cause ?? (exitCode === null ? 'killed' : 'exited'),
    exitCode: cause === null ? exitCode : null,
    failure,
    output: output.text(),
    omittedBytes: output.omitted(),
  }
}
