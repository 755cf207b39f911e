import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import type { BoardTask } from '@clawboo/core/board'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { patchBoards } from './board.ts'
import { client } from './client.ts'
import { FRESH, operationKey, useChange, useOperation } from './operation.ts'

export type TaskDetail = OperationOutput<'getTask'>
export type TaskComment = TaskDetail['comments'][number]
export type TaskAttempt = TaskDetail['attempts'][number]
export type TaskOverride = TaskDetail['overrides'][number]
export type TaskDiff = OperationOutput<'readTaskDiff'>
export type DiffFile = NonNullable<TaskDiff['diff']>['files'][number]
export type TaskPatch = OperationInput<'updateTask'>['body']
type TaskMove = OperationInput<'moveTask'>['body'] & { readonly taskId: string }

const taskKey = (taskId: string) => operationKey('getTask', { params: { taskId } })

/** No event updates a task that is not on the screen while its board is closed. */
export function useTask(taskId: string) {
  return useOperation('getTask', { params: { taskId } }, FRESH)
}

/** `attemptId`: the newest ended attempt. Each attempt has its own diff. */
export function useTaskDiff(taskId: string, attemptId: string) {
  return useQuery({
    queryKey: [...operationKey('readTaskDiff', { params: { taskId } }), attemptId],
    queryFn: ({ signal }) => client.readTaskDiff({ params: { taskId }, signal }),
    staleTime: 0,
  })
}

export function useCreateTask(teamId: string) {
  return useChange(
    (body: OperationInput<'createTask'>['body']) => client.createTask({ params: { teamId }, body }),
    showTask,
  )
}

export function useUpdateTask(taskId: string) {
  return useChange((body: TaskPatch) => client.updateTask({ params: { taskId }, body }), showTask)
}

export function useMoveTask() {
  return useChange(({ taskId, ...body }: TaskMove) => client.moveTask({ params: { taskId }, body }), showItsTask)
}

export function useSignOff(taskId: string) {
  return useChange(() => client.signOffTask({ params: { taskId } }), showItsTask)
}

export function useOverride(taskId: string) {
  return useChange((reason: string) => client.overrideTask({ params: { taskId }, body: { reason } }), showItsTask)
}

export function useTakeBack(taskId: string) {
  return useChange(() => client.takeBackTask({ params: { taskId } }), showItsTask)
}

/** Adds or removes a blocker of a task. */
export function useSetLink(taskId: string) {
  return useChange(
    ({ blockerId, waits }: { readonly blockerId: string; readonly waits: boolean }) =>
      waits
        ? client.linkTask({ params: { taskId }, body: { blockerId } })
        : client.unlinkTask({ params: { taskId, blockerId } }),
    showTask,
  )
}

export function useComment(taskId: string) {
  return useChange(
    (body: OperationInput<'commentTask'>['body']) => client.commentTask({ params: { taskId }, body }),
    readTask(taskId),
  )
}

export function useMerge(taskId: string) {
  return useChange(() => client.mergeTask({ params: { taskId } }), readTask(taskId))
}

export function useCheck(taskId: string) {
  return useChange(() => client.checkTask({ params: { taskId } }), readTask(taskId))
}

export function useCleanUp(taskId: string) {
  return useChange(() => client.cleanUpTask({ params: { taskId } }), readTask(taskId))
}

/** Shows a returned task on its board at once. */
function showTask(task: BoardTask, queries: QueryClient): Promise<void> {
  patchBoards(queries, [{ type: 'task-changed', task }])
  return readTask(task.id)(task, queries)
}

function showItsTask({ task }: { readonly task: BoardTask }, queries: QueryClient): Promise<void> {
  return showTask(task, queries)
}

/** For a write that returns only a part of the task. */
function readTask(taskId: string) {
  return (_: unknown, queries: QueryClient) => queries.invalidateQueries({ queryKey: taskKey(taskId) })
}

/** For actions that may have changed the task's worktree. */
export function useReadDiffAgain(taskId: string): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: operationKey('readTaskDiff', { params: { taskId } }) })
}
