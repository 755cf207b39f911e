import { ClawbooError } from '@clawboo/core'
import {
  type BoardTask,
  DEFAULT_DELEGATION_CAPS,
  type DelegationCaps,
  findTaskProblems,
  judgeDelegation,
  quoteTitle,
  type TaskAssignee,
  type TaskPriority,
  type TaskProblem,
} from '@clawboo/core/board'
import type { Repositories } from '../store/open-store.ts'
import { lastPlace } from '../store/repositories/board/tasks-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import {
  type BoardActor,
  type BoardDependencies,
  changeBoard,
  lockTask,
  requestInvalid,
  sourceOf,
  taskNotFound,
} from './board-change.ts'

export interface NewTask {
  readonly teamId: string
  readonly title: string
  readonly body?: string
  /** `todo` by default. */
  readonly status?: 'backlog' | 'todo'
  readonly priority?: TaskPriority
  readonly assignee?: TaskAssignee | null
  /** A task that an agent creates while it works on a task becomes a subtask of that task. */
  readonly parentId?: string | null
  readonly changesFiles?: boolean
  /** The tasks it waits for. */
  readonly blockerIds?: readonly string[]
  readonly postId?: string | null
}

/** The maximum number of blockers of a new task. */
const MAX_BLOCKERS = 100

export async function createTask(
  board: BoardDependencies,
  wanted: NewTask,
  by: BoardActor,
  caps: DelegationCaps = DEFAULT_DELEGATION_CAPS,
): Promise<BoardTask> {
  refuseProblems(findTaskProblems(wanted, 'new'))
  const blockerIds = [...new Set(wanted.blockerIds ?? [])]
  if (blockerIds.length > MAX_BLOCKERS)
    throw requestInvalid('blockerIds', `A task can wait for at most ${MAX_BLOCKERS} others.`)
  if (wanted.status !== undefined && wanted.status !== 'backlog' && wanted.status !== 'todo')
    throw requestInvalid('status', 'A new task must be in the backlog or to do.')
  const { teamId } = wanted
  if (by.kind === 'agent' && by.teamId !== teamId) throw teamNotFound(teamId)
  const at = (board.now ?? Date.now)()
  const id = sortableId(at)
  return changeBoard(board, { action: 'task.create', teamId, taskId: id, by }, async (tx) => {
    if (!(await tx.teams.get(teamId))) throw teamNotFound(teamId)
    await checkAssignee(tx, wanted.assignee ?? null)
    const parent = await findParent(tx, wanted, by)
    if (by.kind === 'agent') await refuseCapped(tx, parent, by.runId, caps)
    const blockers = await findBlockers(tx, teamId, blockerIds)
    const task = await tx.tasks.insert({
      ...EMPTY,
      id,
      teamId,
      title: wanted.title,
      body: wanted.body ?? '',
      status: wanted.status ?? 'todo',
      priority: wanted.priority ?? 'normal',
      assignee: wanted.assignee ?? null,
      parentId: parent?.id ?? null,
      depth: parent ? parent.depth + 1 : 0,
      source: sourceOf(by, wanted.postId ?? null),
      changesFiles: wanted.changesFiles ?? false,
      openBlockers: blockers.filter(({ status }) => status !== 'done').length,
      position: lastPlace(at),
      createdAt: at,
      updatedAt: at,
    })
    for (const blocker of blockers) await tx.taskLinks.insert({ blockerId: blocker.id, blockedId: id }, at)
    const { title, status, assignee, parentId } = task
    const detail = { title, status, assignee, parentId, blockerIds }
    return { result: task, tasks: [task], line: `New task: ${quoteTitle(title)}`, detail }
  })
}

const EMPTY = {
  attempts: 0,
  costUsd: null,
  changedAt: null,
  failedAt: null,
  cancelledWith: null,
  reason: null,
  attemptId: null,
  attendedAt: null,
  startedAt: null,
  endedAt: null,
} as const

export function refuseProblems(problems: readonly TaskProblem[]): void {
  const [first] = problems
  if (first) throw new ClawbooError('request_invalid', first.message, { details: { problems } })
}

/** Refuses an assignee that does not exist or is archived. The operator always exists. */
export async function checkAssignee(tx: Repositories, assignee: TaskAssignee | null): Promise<void> {
  if (!assignee || (assignee.kind === 'person' && assignee.id === 'operator')) return
  const agent = await tx.agents.get(assignee.id)
  const kind = agent?.participantKind === 'human' ? 'person' : 'agent'
  if (!agent || agent.archivedAt !== null || kind !== assignee.kind)
    throw new ClawbooError('agent_not_found', `there is no ${assignee.kind} "${assignee.id}"`, {
      details: { agentId: assignee.id },
    })
}

async function findParent(tx: Repositories, wanted: NewTask, by: BoardActor): Promise<BoardTask | null> {
  // By default, a task of an agent belongs to the task that it works on: otherwise an agent could avoid the depth limit
  // by naming no parent.
  const parentId = wanted.parentId ?? (by.kind === 'agent' ? by.taskId : null)
  if (parentId === null) return null
  const parent = await lockTask(tx, parentId)
  if (parent.teamId !== wanted.teamId) throw taskNotFound(parentId)
  if (by.kind !== 'agent' || by.taskId === null || by.taskId === parentId) return parent
  if (await isBelow(tx, parent, by.taskId)) return parent
  throw new ClawbooError('task_not_yours', 'an agent can create tasks only below the task it works on', {
    details: { taskId: by.taskId, parentId },
  })
}

async function isBelow(tx: Repositories, task: BoardTask, ancestorId: string): Promise<boolean> {
  const seen = new Set<string>()
  for (let above = task.parentId; above !== null && !seen.has(above); ) {
    if (above === ancestorId) return true
    seen.add(above)
    above = (await tx.tasks.get(above))?.parentId ?? null
  }
  return false
}

async function refuseCapped(
  tx: Repositories,
  parent: BoardTask | null,
  runId: string,
  caps: DelegationCaps,
): Promise<void> {
  const verdict = judgeDelegation(
    {
      parentDepth: parent?.depth ?? 0,
      madeThisTurn: await tx.tasks.countMadeByRun(runId),
      liveChildren: parent ? await tx.tasks.countLiveChildren(parent.id) : 0,
      asked: 1,
    },
    caps,
  )
  if (verdict.ok) return
  const { cap, figure, limit, message } = verdict
  throw new ClawbooError('delegation_limit', message, { details: { cap, figure, limit } })
}

async function findBlockers(tx: Repositories, teamId: string, ids: readonly string[]): Promise<BoardTask[]> {
  const found = await tx.tasks.lock(ids)
  const missing = ids.find((id) => !found.some((task) => task.id === id && task.teamId === teamId))
  if (missing !== undefined) throw taskNotFound(missing)
  return found
}

function teamNotFound(teamId: string): ClawbooError {
  return new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
}
