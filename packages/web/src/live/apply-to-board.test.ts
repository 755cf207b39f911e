import { type BoardTask, TASK_STATUSES } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { applyToBoard, type Board, keepLoaded, withPage } from './apply-to-board.ts'

const of = { teamId: 'team', filter: {} }

function task(id: number, more: Partial<BoardTask> = {}): BoardTask {
  return {
    id: `t${id}`,
    teamId: 'team',
    title: `Task ${id}`,
    body: 'long',
    status: 'todo',
    priority: 'normal',
    assignee: null,
    parentId: null,
    depth: 0,
    source: { kind: 'operator', id: null, runId: null, postId: null },
    changesFiles: false,
    attempts: 0,
    costUsd: null,
    changedAt: null,
    failedAt: null,
    cancelledWith: null,
    reason: null,
    openBlockers: 0,
    attemptId: null,
    position: id * 10,
    attendedAt: null,
    createdAt: 0,
    updatedAt: 1,
    startedAt: null,
    endedAt: null,
    ...more,
  }
}

function board(tasks: readonly BoardTask[], hasMore = false): Board {
  return {
    columns: TASK_STATUSES.map((status) => ({
      status,
      tasks: tasks.filter((one) => one.status === status),
      hasMore: hasMore && status === 'todo',
    })),
    waits: [{ taskId: 't1', code: 'unassigned', reason: 'is unassigned' }],
    working: [],
  }
}

const changed = (one: BoardTask) => ({ type: 'task-changed', task: one }) as const
const ids = (from: Board, status = 'todo') => from.columns.find((c) => c.status === status)!.tasks.map(({ id }) => id)

test('[PG201] a changed task moves to its column and place without its body, and no longer waits there', () => {
  const next = applyToBoard(board([task(1), task(2)]), [changed(task(1, { status: 'done', updatedAt: 2 }))], of)
  expect(ids(next)).toEqual(['t2'])
  expect(ids(next, 'done')).toEqual(['t1'])
  expect(next.columns[4]!.tasks[0]).not.toHaveProperty('body')
  expect(next.waits).toEqual([])
  const between = applyToBoard(board([task(1), task(3)]), [changed(task(2))], of)
  expect(ids(between)).toEqual(['t1', 't2', 't3'])
})

test('[PG201] a repeated event, an older event and an event of another team change nothing', () => {
  const event = changed(task(1, { status: 'done', updatedAt: 5 }))
  const once = applyToBoard(board([task(1), task(2)]), [event], of)
  expect(applyToBoard(once, [event], of)).toEqual(once)
  expect(applyToBoard(once, [changed(task(1, { updatedAt: 4 }))], of)).toEqual(once)
  expect(applyToBoard(once, [changed(task(7, { teamId: 'other' }))], of)).toBe(once)
})

test('[PG201] a task that stops matching the filter leaves the board, and one that starts matching appears', () => {
  const filtered = { teamId: 'team', filter: { priority: 'high', text: 'TASK', assignee: 'agent:a' } } as const
  const fitting = task(1, { priority: 'high', assignee: { kind: 'agent', id: 'a' } })
  const come = applyToBoard(board([]), [changed(fitting)], filtered)
  expect(ids(come)).toEqual(['t1'])
  expect(ids(applyToBoard(come, [changed({ ...fitting, priority: 'low', updatedAt: 2 })], filtered))).toEqual([])
})

test('[PG201] a card after the loaded part of a column is not shown until it is loaded', () => {
  const cut = board([task(1), task(2)], true)
  expect(ids(applyToBoard(cut, [changed(task(9))], of))).toEqual(['t1', 't2'])
  expect(ids(applyToBoard(cut, [changed(task(0))], of))).toEqual(['t0', 't1', 't2'])
})

test('[PG212] another page is added to the end of a column, and stays when the start is fetched again', () => {
  const more = withPage(board([task(1), task(2)], true), { status: 'todo', tasks: [task(2), task(3)], hasMore: false })
  expect(ids(more)).toEqual(['t1', 't2', 't3'])
  expect(more.columns[1]!.hasMore).toBe(false)
  const again = keepLoaded(board([task(1), task(2)], true), more)
  expect(ids(again)).toEqual(['t1', 't2', 't3'])
  expect(again.columns[1]!.hasMore).toBe(false)
})

test('[PG212] a card that was loaded in another column is not kept twice', () => {
  const more = withPage(board([task(1), task(2)], true), { status: 'todo', tasks: [task(3), task(4)], hasMore: true })
  const again = keepLoaded(board([task(1), task(2), task(3, { status: 'done' })], true), more)
  expect(ids(again)).toEqual(['t1', 't2', 't4'])
  expect(keepLoaded(board([task(1)]), more)).toEqual(board([task(1)]))
})
