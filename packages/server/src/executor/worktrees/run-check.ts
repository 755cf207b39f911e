import { keepBothEnds } from '../../processes/bounded-output.ts'
import { childEnvironment } from '../../processes/child-environment.ts'
import type { Boundary } from '../../processes/process.ts'
import { startProcess } from '../../processes/start-process.ts'
import { diffOf, wantFiles } from './diff-of.ts'
import { asRefusal, type Refusal, refuse } from './refusal.ts'
import { repositoryReads } from './repository-reads.ts'
import type { Worktree } from './worktree.ts'
import { placesOf } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export interface CheckOptions {
  readonly signal?: AbortSignal
}

export interface Check {
  readonly command: string
  /** The evidence; null when the check was killed, aborted or timed out. */
  readonly exitCode: number | null
  readonly end: 'exited' | 'killed' | 'timed-out' | 'aborted'
  readonly output: string
  /** The number of bytes that are missing in the middle of the output. */
  readonly omittedBytes: number
  readonly startedAt: number
  readonly endedAt: number
  /** The hash of the diff. A check that changes files is no evidence for the changed files. */
  readonly sha256Before: string | null
  readonly sha256After: string | null
}

export type CheckResult = { readonly ok: true; readonly check: Check } | Refusal

/** Runs the team's check in the worktree. A person wrote the command, so a shell runs it. */
export async function runCheck(
  context: WorktreesContext,
  worktree: Worktree,
  command: string,
  options: CheckOptions = {},
): Promise<CheckResult> {
  return asRefusal(async () => {
    if (command.trim() === '' || command.includes('\0')) return refuse('check_not_started', 'The check has no command.')
    if (worktree.kind !== 'none') await wantFiles(context, worktree)
    const sha256Before = await hashOf(context, worktree)
    const startedAt = context.now()
    const ended = await run(context, worktree, command, options)
    if (ended.failure !== null) return refuse('check_not_started', `The check could not be started (${ended.failure}).`)
    const endedAt = context.now()
    const sha256After = await hashOf(context, worktree)
    const { end, exitCode, output, omittedBytes } = ended
    return {
      ok: true,
      check: { command, exitCode, end, output, omittedBytes, startedAt, endedAt, sha256Before, sha256After },
    }
  })
}

/** Also records when the content was first seen, which must be before the check. */
async function hashOf(context: WorktreesContext, worktree: Worktree): Promise<string | null> {
  if (worktree.kind === 'none') return null
  const result = await diffOf(context, worktree)
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

async function run(
  context: WorktreesContext,
  worktree: Worktree,
  command: string,
  options: CheckOptions,
): Promise<Ended> {
  const { program, limits } = context
  const output = keepBothEnds(limits.outputBytes)
  const running = startProcess({
    program: '/bin/sh',
    args: ['-c', command],
    cwd: worktree.folder,
    boundary: await boundaryOf(context, worktree),
    env: childEnvironment(
      { PATH: program.path },
      { HOME: context.checkHome, LANG: 'C.UTF-8', CI: '1', GIT_TERMINAL_PROMPT: '0' },
    ),
    stdin: 'none',
    timeoutMs: limits.checkMs,
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

async function boundaryOf(context: WorktreesContext, worktree: Worktree): Promise<Boundary> {
  const confinement = await context.confinement()
  if (!confinement.isOn) return 'unconfined'
  const { taskId, attempt, kind, folder } = worktree
  const writable = kind === 'none' ? folder : placesOf(context.root, taskId, attempt).files
  return confinement.confine({
    writable: [writable],
    readable: await repositoryReads(context, worktree),
    proxySocket: null,
  })
}
