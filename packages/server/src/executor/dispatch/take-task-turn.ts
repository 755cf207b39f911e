import { randomUUID } from 'node:crypto'
import type { BoardTask } from '@clawboo/core/board'
import type { LazyRuntime, RunRecord } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { StoredExecution } from '../../store/executions-repository.ts'
import { createConversationBook } from '../conversation-book.ts'
import type { OpenedTools } from '../run-tools.ts'
import { runTurn } from '../run-turn.ts'
import { readTurnBounds, type Turn, type TurnEnd } from '../turn.ts'
import { createTurnBook, reportLimit } from '../turn-book.ts'
import type { AttemptControl } from './attempt-control.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import type { AttemptWorkplace } from './open-workplace.ts'
import type { RunVerdict } from './run-verdicts.ts'
import { type TaskBrief, taskPrompt } from './task-prompt.ts'

export interface TaskWork {
  readonly task: BoardTask
  readonly execution: StoredExecution
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: AttemptControl
}

export interface TakenTurn {
  readonly end: TurnEnd
  readonly verdict: RunVerdict | null
  readonly costUsd: number | null
}

const RUN_LEASE_MS = 60_000

/** The conversation of an agent about a task: every attempt at it goes on in the same one. */
export function taskConversation(agentId: string, taskId: string): string {
  return `agent:${agentId}:task:${taskId}`
}

/** Takes the one turn of an attempt, from its run's row to the end of the run. Rejects when nothing was started. */
export async function takeTaskTurn(
  parts: DispatchParts,
  work: TaskWork,
  brief: Omit<TaskBrief, 'canReport'>,
  place: AttemptWorkplace | null,
): Promise<TakenTurn> {
  const { store, verdicts, streams, onStep } = parts
  const { task, execution, agent, runtime, control } = work
  const { sessionKey } = control
  const runId = randomUUID()
  const { settings, ...bounds } = await readTurnBounds(parts, agent, sessionKey)
  onStep?.('open-tools')
  const bound = { runId, agentId: agent.id, teamId: task.teamId, taskId: task.id }
  const tools = (await parts.tools?.open(bound, runtime.descriptor.claims)) ?? null
  const canReport = tools?.hostTools.tools.some(({ name }) => name === 'report_done') === true
  const turn: Turn = {
    ...{
      runId,
      agent,
      runtime,
      inputs: parts.inputs,
      sessionKey,
      ...bounds,
      model: settings.model,
      verbose: settings.verbose,
    },
    prompt: { id: execution.id, text: taskPrompt({ ...brief, canReport }) },
    ...(place ? { folder: place.workplace.folder } : {}),
    ...(tools ? { hostTools: tools.hostTools } : {}),
  }
  try {
    const run = await openRun(parts, turn, execution)
    verdicts.begin(runId)
    onStep?.('start')
    const stream = streams.open(agent.id, runId)
    const owner = { instance: parts.instance, leaseMs: RUN_LEASE_MS }
    const book = createTurnBook({ ...parts, owner, now: clockOf(parts) }, turn, async () => {})
    const running = runTurn(turn, book, stream)
    control.began(runId, running)
    const end = await running.ended
    control.runEnded()
    stream.end()
    onStep?.('end-run')
    await closeRun(parts, work, run, end)
    const costUsd = (await store.runs.get(runId))?.costUsd ?? null
    return { end, verdict: verdicts.take(runId), costUsd }
  } finally {
    verdicts.take(runId)
    await closeTools(parts, tools)
  }
}

async function openRun(parts: DispatchParts, turn: Turn, execution: StoredExecution): Promise<RunRecord> {
  const { runId: id, agent, sessionKey, model, prompt } = turn
  const now = clockOf(parts)
  const owner = { instance: parts.instance, leaseMs: RUN_LEASE_MS }
  const row = {
    ...{ id, agentId: agent.id, teamId: agent.teamId, runtime: agent.runtime, sessionKey, model },
    ...{ trigger: 'task' as const, prompt: prompt.text, owner, startedAt: now() },
  }
  parts.onStep?.('write-run')
  const run = await createConversationBook({ ...parts, now }).startRun(row, [], prompt.id, 1)
  parts.onStep?.('note-run')
  await parts.claims.note(execution.id, { runId: id })
  return run
}

/** What it did stays true when its end could not be kept: the run is settled when its lease is over. */
async function closeRun(parts: DispatchParts, { agent }: TaskWork, run: RunRecord, end: TurnEnd): Promise<void> {
  try {
    await createConversationBook({ ...parts, now: clockOf(parts) }).endRun(run, end, [])
    await reportLimit(parts.attention, agent, run.id, end)
  } catch (error) {
    parts.log.error('the end of a run was not kept', { runId: run.id, error })
  }
}

async function closeTools({ log }: DispatchParts, tools: OpenedTools | null): Promise<void> {
  await tools?.close().catch((error: unknown) => log.error('the credential of a run was not revoked', { error }))
}

function clockOf({ now = Date.now }: DispatchParts): () => number {
  return now
}
