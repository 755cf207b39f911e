import type { BoardTask } from '@clawboo/core/board'
import type { LazyRuntime } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { RunVerdict } from '../../board/run-verdicts.ts'
import type { StoredExecution } from '../../store/repositories/board/executions-repository.ts'
import type { RunControl } from '../run/run-control.ts'
import type { RunEnding } from '../run/run-plan.ts'
import type { OpenRun } from '../run/run-service.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import type { AttemptWorkplace } from './open-workplace.ts'
import { type TaskBrief, taskPrompt } from './task-prompt.ts'

/** A claimed attempt at a task. */
export interface TaskAttempt {
  readonly task: BoardTask
  readonly execution: StoredExecution
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: RunControl
}

export interface EndedTaskRun {
  readonly end: RunEnding
  readonly verdict: RunVerdict | null
  readonly costUsd: number | null
}

/** The conversation of an agent about a task; all attempts at the task continue it. */
export function taskConversation(agentId: string, taskId: string): string {
  return `agent:${agentId}:task:${taskId}`
}

/** Runs the agent once for an attempt. Rejects when nothing was started. */
export async function runTask(
  parts: DispatchParts,
  attempt: TaskAttempt,
  brief: Omit<TaskBrief, 'canReport'>,
  place: AttemptWorkplace | null,
): Promise<EndedTaskRun> {
  const { store, verdicts, runs, onStep } = parts
  const { task, execution, agent, runtime, control } = attempt
  const run = await runs.open({
    agent,
    runtime,
    sessionKey: control.sessionKey,
    trigger: 'task',
    teamId: task.teamId,
    taskId: task.id,
    ...(place ? { folder: place.workplace.folder } : {}),
    prompt: ({ toolNames }) => ({
      id: execution.id,
      text: taskPrompt({ ...brief, canReport: toolNames.includes('report_done') }),
    }),
    async onOpen(tx, { id: runId }) {
      await tx.executions.update(execution.id, { runId })
      verdicts.begin(runId)
      return []
    },
    ...(onStep ? { onStep } : {}),
  })
  const { id: runId } = run!
  try {
    control.began(run!)
    const end = await run!.ended
    control.runEnded()
    await closeTaskRun(parts, run!)
    const costUsd = (await store.runs.get(runId))?.costUsd ?? null
    return { end, verdict: verdicts.take(runId), costUsd }
  } finally {
    verdicts.take(runId)
  }
}

/** A failure here does not undo the work: the run is settled when its lease is over. */
async function closeTaskRun({ log }: DispatchParts, run: OpenRun): Promise<void> {
  try {
    await run.close({ also: async () => ({ result: undefined, events: [] }) })
  } catch (error) {
    log.error('the end of a run was not stored', { runId: run.id, error })
  }
}
