import { ClawbooError } from '@clawboo/core'
import { TASK_REASON_CHARACTERS } from '@clawboo/core/board'
import { z } from 'zod'
import type { RunVerdict, RunVerdictBook } from '../../board/run-verdicts.ts'
import type { Caller } from '../caller.ts'
import { type AnyTool, defineTool } from '../tool-table.ts'
import { agentActor } from './task-caller.ts'

const SUMMARY_CHARACTERS = 4_000
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const
const output = z.strictObject({ taskId: z.string(), outcome: z.enum(['completed', 'blocked']), next: z.string() })
const summary = z.string().trim().min(1).max(SUMMARY_CHARACTERS)

/** An agent's report on its own task. It takes effect when the run ends; evidence is only what the host observes. */
export function reportTools(verdicts: Pick<RunVerdictBook, 'note'>): AnyTool[] {
  const note = (caller: Caller, verdict: RunVerdict) => {
    const { taskId, runId } = agentActor(caller)
    if (taskId === null || !verdicts.note(runId, verdict))
      throw new ClawbooError('task_not_found', 'this run has no task, so there is nothing to report on')
    const next =
      'End your run now: the server checks the work when the run ends. If you report several times, the last report counts.'
    return { taskId, outcome: verdict.outcome, next }
  }
  return [
    defineTool({
      name: 'report_done',
      title: 'Report your task as done',
      description:
        'Reports that the task of this run is finished. It goes to review when the run ends. The evidence is the ' +
        'check and the diff that the server records, not this report.',
      input: z.strictObject({ summary: summary.describe('What you did, for the reviewer') }),
      output,
      annotations,
      handler: async (caller, { summary }) =>
        note(caller, { outcome: 'completed', reason: null, summary: summary.toWellFormed() }),
    }),
    defineTool({
      name: 'report_blocked',
      title: 'Report your task as blocked',
      description: 'Reports that the task of this run cannot continue without someone else, and why.',
      input: z.strictObject({
        reason: z.string().trim().min(1).max(TASK_REASON_CHARACTERS).describe('What is missing, and from whom'),
        summary: summary.optional().describe('What you have done so far'),
      }),
      output,
      annotations,
      handler: async (caller, { reason, summary }) =>
        note(caller, {
          outcome: 'blocked',
          reason: reason.toWellFormed(),
          summary: summary?.toWellFormed() ?? null,
        }),
    }),
  ]
}
