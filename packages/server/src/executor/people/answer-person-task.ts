import { ClawbooError } from '@clawboo/core'
import { type AttemptOutcome, type BoardTask, LEASE_MS, TASK_REASON_CHARACTERS } from '@clawboo/core/board'
import type { AttentionItem } from '@clawboo/core/executor'
import type { BoardDependencies } from '../../board/board-change.ts'
import { changeTogether } from '../../board/change-together.ts'
import { createClaims } from '../../board/claims.ts'
import { createReports } from '../../board/reports.ts'
import { createTasks } from '../../board/tasks.ts'
import type { Repositories } from '../../store/open-store.ts'
import { storableText } from '../../store/storable-text.ts'
import {
  alreadySettled,
  answerDetail,
  attentionChanged,
  requireAnswerable,
  type TaskAnswer,
} from '../attention/attention.ts'
import { type AskedTask, askedFor } from './person-task-item.ts'

/** The owner of all attempts by people. It is not a server, so no starting server releases them. */
export const PEOPLE = 'people'
/** A person does not renew a lease: the claim stays valid until the person or the operator ends it. */
const PERSON_LEASE_MS = LEASE_MS * 100_000_000

/** Applies an answer to a person's task: the comment, the change of the task and the item, in one transaction. */
export async function answerPersonTask(board: BoardDependencies, response: TaskAnswer): Promise<AttentionItem> {
  const { item, answer, actor } = response
  const found = item.subjectId === null ? null : await board.store.tasks.get(item.subjectId)
  if (!found) throw alreadySettled(item.id)
  const change = { action: 'attention.answer', subject: item.id, actor, teamId: found.teamId }
  return changeTogether(board, change, async (tx, inner) => {
    const [task] = await tx.tasks.lock([found.id])
    requireAnswerable(await tx.attention.get(item.id), item.id, answer)
    const asked = task ? await askedFor(tx, task) : null
    if (!task || !asked || asked.agentId !== item.agentId) throw alreadySettled(item.id)
    await applyAnswer(inner, task, asked, response)
    const after = await itemAfter(tx, task.id, response, (board.now ?? Date.now)())
    return { result: after, events: [attentionChanged(after)], detail: { ...answerDetail(after), answer } }
  })
}

async function applyAnswer(
  board: BoardDependencies,
  task: BoardTask,
  asked: AskedTask,
  { answer, text }: TaskAnswer,
): Promise<void> {
  const tasks = createTasks(board)
  if (text !== '') await tasks.comment(task.id, { body: text }, asked.actor)
  if (answer === 'accept') await claim(board, task, asked)
  else if (answer === 'done') {
    await endAttempt(board, task, 'completed', null)
    await tasks.signOff(task.id, asked.actor)
  } else if (answer === 'refuse') {
    const reason = storableText(`${asked.name} refused: ${text}`, TASK_REASON_CHARACTERS)
    if (!(await endAttempt(board, task, 'blocked', reason)))
      await tasks.move(task.id, { to: 'blocked', reason }, asked.actor)
    await tasks.patch(task.id, { assignee: null }, asked.actor)
  }
}

async function claim(board: BoardDependencies, task: BoardTask, asked: AskedTask): Promise<void> {
  const { assignee, runtime, actor } = asked
  const claims = createClaims({ ...board, instance: PEOPLE, leaseMs: PERSON_LEASE_MS })
  const outcome = await claims.claim({ taskId: task.id, expects: assignee, by: assignee, runtime, actor })
  if (!outcome.claimed)
    throw new ClawbooError('task_conflict', `The task ${outcome.reason}.`, { details: { taskId: task.id } })
}

/** False = the person had not accepted the task. */
async function endAttempt(
  board: BoardDependencies,
  { status, attemptId, attempts: attempt }: BoardTask,
  outcome: AttemptOutcome,
  reason: string | null,
): Promise<boolean> {
  if (status !== 'in_progress' || attemptId === null) return false
  const at = (board.now ?? Date.now)()
  const { verdict } = await createReports(board).submit({ attemptId, attempt, outcome, reason, costUsd: null, at })
  return verdict === 'accepted'
}

async function itemAfter(tx: Repositories, taskId: string, response: TaskAnswer, at: number): Promise<AttentionItem> {
  const { item, answer, actor } = response
  if (answer === 'done' || answer === 'refuse') {
    const settled = await tx.attention.answer(item.id, { answer, by: actor, at })
    if (!settled) throw alreadySettled(item.id)
    return settled
  }
  const asked = await askedFor(tx, (await tx.tasks.get(taskId))!)
  return (asked && (await tx.attention.reword(item.id, asked.wording))) ?? item
}
