import { ClawbooError } from '@clawboo/core'
import { storableText } from '../../store/storable-text.ts'
import type { Check } from '../worktrees/run-check.ts'
import type { Workplace } from '../worktrees/workplace.ts'
import type { DispatchParts } from './dispatch-parts.ts'

export interface SeenWork {
  readonly taskId: string
  readonly executionId: string
  readonly workplace: Workplace
  /** False: it is only noted that the work changed. */
  readonly isJudged: boolean
  /** null = the team has none. */
  readonly checkCommand: string | null
  readonly signal: AbortSignal
}

const HOST = { kind: 'host' } as const
const OUTPUT_CHARACTERS = 8_000

/**
 * Writes down what the host sees of an attempt's work: that it changed, what it is, and how the team's check ends. What
 * cannot be seen is no evidence and no error: then a person looks. Evidence of an attempt that was passed is left out.
 */
export async function gatherEvidence(
  { worktrees, tasks, log }: Pick<DispatchParts, 'worktrees' | 'tasks' | 'log'>,
  { taskId, executionId, workplace, isJudged, checkCommand, signal }: SeenWork,
): Promise<void> {
  const seeDiff = async () => {
    const seen = await worktrees.diffOf(workplace)
    if (!seen.ok) return void log.warn('the work of a task could not be compared', { taskId, message: seen.message })
    const { fileCount, changedAt, sha256 } = seen.diff
    if (fileCount === 0) return
    if (changedAt !== null) await tasks.noteChange(taskId, changedAt)
    if (isJudged) await tasks.addEvidence(taskId, { kind: 'diff', sha256 }, executionId)
  }
  try {
    await seeDiff()
    if (!isJudged || checkCommand === null || signal.aborted) return
    const result = await worktrees.runCheck(workplace, checkCommand, { signal })
    if (!result.ok) return void (await tasks.comment(taskId, { body: result.message }, HOST))
    const { check } = result
    // Ended from here: that says nothing about the work.
    if (check.end === 'aborted') return
    const { command, exitCode, startedAt: at } = check
    await tasks.addEvidence(taskId, { kind: 'check', command, exitCode, at }, executionId)
    if (exitCode !== 0) await tasks.comment(taskId, { body: failureWords(check) }, HOST)
    if (check.sha256After !== check.sha256Before) await seeDiff()
  } catch (error) {
    if (!(error instanceof ClawbooError && error.code === 'evidence_refused')) throw error
    log.info('the attempt was passed before its evidence was written', { taskId, executionId })
  }
}

/** For whoever looks at it next, the agent's next attempt included. */
function failureWords({ exitCode, end, output }: Check): string {
  const how = exitCode === null ? `did not come to its end (${end})` : `exited with ${exitCode}`
  const tail = output.length > OUTPUT_CHARACTERS ? `…${output.slice(-OUTPUT_CHARACTERS).toWellFormed()}` : output
  return storableText(`The check ${how}.\n\n${tail}`.trim(), OUTPUT_CHARACTERS + 200)
}
