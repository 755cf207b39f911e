import { ClawbooError } from '@clawboo/core'
import { TASK_REASON_CHARACTERS } from '@clawboo/core/board'
import { z } from 'zod'
import type { RunVerdict, RunVerdicts } from '../../board/run-verdicts.ts'
import type { Caller } from '../caller.ts'
import { type AnyTool, defineTool } from '../tool-table.ts'
import { agentActor } from './task-caller.ts'

const SUMMARY_CHARACTERS = 4_000
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const
const output = z.strictObject({ taskId: z.string(), outcome: z.enum(['completed', 'blocked']), next: z.string() })
const summary = z.string().trim().min(1).max(SUMMARY_CHARACTERS)

/** What an agent says of its own task. The word counts when the run ends; evidence is what the host sees itself. */
export function reportTools(verdicts: RunVerdicts): AnyTool[] {
  const note = (caller: Caller, verdict: RunVerdict) => {
    const { taskId, runId } = agentActor(caller)
    if (taskId === null || !verdicts.note(runId, verdict))
      throw new ClawbooError('task_not_found', 'no task is under way in this run, so there is nothing to report on')
    const next =
      'End your turn now: the server looks at the work when the run ends. Of several reports the last counts.'
    return { taskId, outcome: verdict.outcome, next }
  }
  return [
    defineTool({
      name: 'report_done',
      title: 'Report your task as done',
      description:
        'Says that the task you work on in this run is finished. It goes to review when the run ends; what shows that it ' +
        'is done is the check and the diff that the server sees, not this report.',
      input: z.strictObject({ summary: summary.describe('What was done, for whoever reviews it') }),
      output,
      annotations,
      handler: async (caller, { summary }) =>
        note(caller, { outcome: 'completed', reason: null, summary: summary.toWellFormed() }),
    }),
    defineTool({
      name: 'report_blocked',
      title: 'Report your task as blocked',
      description: 'Says that the task you work on in this run cannot go on without somebody else, and why.',
      input: z.strictObject({
        reason: z.string().trim().min(1).max(TASK_REASON_CHARACTERS).describe('What is missing, and from whom'),
        summary: summary.optional().describe('What was done so far'),
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
