import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import type { BoardTask } from '@clawboo/core/board'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { patchBoards } from './board.ts'
import { client } from './client.ts'

export type TaskDetail = OperationOutput<'getTask'>
export type TaskComment = TaskDetail['comments'][number]
export type TaskAttempt = TaskDetail['attempts'][number]
export type TaskOverride = TaskDetail['overrides'][number]
export type TaskDiff = OperationOutput<'readTaskDiff'>
export type DiffFile = NonNullable<TaskDiff['diff']>['files'][number]
export type NewTask = OperationInput<'createTask'>['body']
export type TaskPatch = OperationInput<'updateTask'>['body']
export type TaskMove = OperationInput<'moveTask'>['body']

const taskKey = (taskId: string) => ['task', taskId] as const
const diffKey = (taskId: string) => ['task-diff', taskId] as const

export function useTask(taskId: string) {
  return useQuery({
    queryKey: taskKey(taskId),
    queryFn: ({ signal }) => client.getTask({ params: { taskId }, signal }),
    // No event updates a task that is not on the screen while its board is closed.
    staleTime: 0,
  })
}

/** `attemptId`: the newest ended attempt. Each attempt has its own diff. */
export function useTaskDiff(taskId: string, attemptId: string) {
  return useQuery({
    queryKey: [...diffKey(taskId), attemptId],
    queryFn: ({ signal }) => client.readTaskDiff({ params: { taskId }, signal }),
    staleTime: 0,
  })
}

export function useCreateTask(teamId: string) {
  return useTaskWrite((body: NewTask) => client.createTask({ params: { teamId }, body }), itself)
}

export function useUpdateTask(taskId: string) {
  return useTaskWrite((body: TaskPatch) => client.updateTask({ params: { taskId }, body }), itself)
}

export function useMoveTask() {
  return useTaskWrite(
    ({ taskId, ...body }: TaskMove & { readonly taskId: string }) => client.moveTask({ params: { taskId }, body }),
    ({ task }) => task,
  )
}

export function useSignOff(taskId: string) {
  return useTaskWrite(
    () => client.signOffTask({ params: { taskId } }),
    ({ task }) => task,
  )
}

export function useOverride(taskId: string) {
  return useTaskWrite(
    (reason: string) => client.overrideTask({ params: { taskId }, body: { reason } }),
    ({ task }) => task,
  )
}

export function useTakeBack(taskId: string) {
  return useTaskWrite(
    () => client.takeBackTask({ params: { taskId } }),
    ({ task }) => task,
  )
}

/** Adds or removes a blocker of a task. */
export function useSetLink(taskId: string) {
  return useTaskWrite(
    ({ blockerId, waits }: { readonly blockerId: string; readonly waits: boolean }) =>
      waits
        ? client.linkTask({ params: { taskId }, body: { blockerId } })
        : client.unlinkTask({ params: { taskId, blockerId } }),
    itself,
  )
}

export function useComment(taskId: string) {
  return useTaskPart(taskId, (body: OperationInput<'commentTask'>['body']) =>
    client.commentTask({ params: { taskId }, body }),
  )
}

export function useMerge(taskId: string) {
  return useTaskPart(taskId, () => client.mergeTask({ params: { taskId } }))
}

export function useCheck(taskId: string) {
  return useTaskPart(taskId, () => client.checkTask({ params: { taskId } }))
}

export function useCleanUp(taskId: string) {
  return useTaskPart(taskId, () => client.cleanUpTask({ params: { taskId } }))
}

function itself(task: BoardTask): BoardTask {
  return task
}

/** A write that returns the task, which the board then shows at once. */
function useTaskWrite<In, Out>(write: (input: In) => Promise<Out>, taskOf: (out: Out) => BoardTask) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSuccess: (out) => {
      const task = taskOf(out)
      patchBoards(queries, [{ type: 'task-changed', task }])
      return queries.invalidateQueries({ queryKey: taskKey(task.id) })
    },
  })
}

/** A write that returns a part of the task. The task is fetched again before the write counts as done. */
function useTaskPart<In, Out>(taskId: string, write: (input: In) => Promise<Out>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSuccess: () => queries.invalidateQueries({ queryKey: taskKey(taskId) }),
  })
}

/** For actions that may have changed the task's worktree. */
export function useReadDiffAgain(taskId: string): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: diffKey(taskId) })
}
