import { ClawbooError } from '@clawboo/core'
import { storableText } from '../../store/storable-text.ts'
import type { Check } from '../worktrees/run-check.ts'
import type { Worktree } from '../worktrees/worktree.ts'
import type { DispatchServices } from './dispatch-services.ts'

export interface AttemptWork {
  readonly taskId: string
  readonly attemptId: string
  readonly worktree: Worktree
  /** False: only the time of the last change is stored, and no evidence. */
  readonly isJudged: boolean
  /** null = the team has none. */
  readonly checkCommand: string | null
  readonly signal: AbortSignal
}

const HOST = { kind: 'host' } as const
const OUTPUT_CHARACTERS = 8_000

/**
 * Stores what the host observes of an attempt's work: that it changed, its diff, and the exit code of the team's check.
 * Work that cannot be read is neither evidence nor an error: a person reviews it. A newer attempt makes the evidence of
 * this one obsolete; it is then left out.
 */
export async function gatherEvidence(
  { worktrees, tasks, log }: Pick<DispatchServices, 'worktrees' | 'tasks' | 'log'>,
  { taskId, attemptId, worktree, isJudged, checkCommand, signal }: AttemptWork,
): Promise<void> {
  const recordDiff = async () => {
    const result = await worktrees.diffOf(worktree)
    if (!result.ok)
      return void log.warn('the work of a task could not be compared', { taskId, message: result.message })
    const { fileCount, changedAt, sha256 } = result.diff
    if (fileCount === 0) return
    if (changedAt !== null) await tasks.noteChange(taskId, changedAt)
    if (isJudged) await tasks.addEvidence(taskId, { kind: 'diff', sha256 }, attemptId)
  }
  try {
    await recordDiff()
    if (!isJudged || checkCommand === null || signal.aborted) return
    const result = await worktrees.runCheck(worktree, checkCommand, { signal })
    if (!result.ok) return void (await tasks.comment(taskId, { body: result.message }, HOST))
    const { check } = result
    // The server aborted the check, which proves nothing about the work.
    if (check.end === 'aborted') return
    const { command, exitCode, startedAt: at } = check
    await tasks.addEvidence(taskId, { kind: 'check', command, exitCode, at }, attemptId)
    if (exitCode !== 0) await tasks.comment(taskId, { body: failureText(check) }, HOST)
    if (check.sha256After !== check.sha256Before) await recordDiff()
  } catch (error) {
    if (!(error instanceof ClawbooError && error.code === 'evidence_refused')) throw error
    log.info('a newer attempt began before the evidence was stored', { taskId, attemptId })
  }
}

/** For the reviewer and for the agent's next attempt. */
function failureText({ exitCode, end, output }: Check): string {
  const result = exitCode === null ? `did not finish (${end})` : `exited with ${exitCode}`
  const tail = output.length > OUTPUT_CHARACTERS ? `…${output.slice(-OUTPUT_CHARACTERS).toWellFormed()}` : output
  return storableText(`The check ${result}.\n\n${tail}`.trim(), OUTPUT_CHARACTERS + 200)
}
