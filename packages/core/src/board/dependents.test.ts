import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskLink } from './dependencies.ts'
import { cancelDependents, type DependentChange, type DependentTask, reopenDependents } from './dependents.ts'
import { testTask } from './test-task.ts'
import { judgeTransition, type TaskStatus } from './transitions.ts'

const task = (id: string, status: TaskStatus = 'todo', more: Partial<DependentTask> = {}): DependentTask =>
  testTask({ id, title: id.toUpperCase(), status, ...more })
const chain = (...ids: string[]): TaskLink[] =>
  ids.slice(1).map((blockedId, at) => ({ blockerId: ids[at]!, blockedId }))

function apply(tasks: readonly DependentTask[], changes: readonly DependentChange[]): readonly DependentTask[] {
  return tasks.map((known) => {
    const change = changes.find(({ taskId }) => taskId === known.id)
    if (!change) return known
    const { taskId: _, ...rest } = change
    expect(judgeTransition(known.status, rest.status, { kind: 'host' }).ok).toBe(true)
    return { ...known, ...rest }
  })
}
const set = (tasks: readonly DependentTask[], id: string, more: Partial<DependentTask>) =>
  tasks.map((known) => (known.id === id ? { ...known, ...more } : known))
const statuses = (tasks: readonly DependentTask[]) => Object.fromEntries(tasks.map(({ id, status }) => [id, status]))

/** Stops a task as a person or a report would, and reopens it. */
function stop(tasks: readonly DependentTask[], links: readonly TaskLink[], id: string) {
  const stopped = set(tasks, id, { status: 'cancelled', reason: 'no need', cancelledWith: null })
  return apply(stopped, cancelDependents(id, stopped, links))
}
function takeUp(tasks: readonly DependentTask[], links: readonly TaskLink[], id: string, as: DependentTask) {
  const reopened = set(tasks, id, as)
  return apply(reopened, reopenDependents(id, reopened, links))
}

test('[BO19] a failed task cancels the tasks that wait for it, and each names its blocker', () => {
  const tasks = [
    task('a', 'blocked', { failedAt: 5, reason: 'exit 1' }),
    task('b'),
    task('c', 'backlog'),
    task('d', 'blocked', { reason: 'no key' }),
  ]
  expect(cancelDependents('a', tasks, chain('a', 'b', 'c', 'd'))).toEqual([
    {
      taskId: 'b',
      status: 'cancelled',
      reason: '“A” failed',
      cancelledWith: { blockerId: 'a', status: 'todo', reason: null },
    },
    {
      taskId: 'c',
      status: 'cancelled',
      reason: '“B” was cancelled',
      cancelledWith: { blockerId: 'b', status: 'backlog', reason: null },
    },
    {
      taskId: 'd',
      status: 'cancelled',
      reason: '“C” was cancelled',
      cancelledWith: { blockerId: 'c', status: 'blocked', reason: 'no key' },
    },
  ])
})

test('[BO20] does not cancel a task that has started, is done or has failed, nor the tasks that wait for it', () => {
  for (const status of ['in_progress', 'in_review', 'done'] as const)
    expect(cancelDependents('a', [task('a', 'cancelled'), task('b', status), task('c')], chain('a', 'b', 'c'))).toEqual(
      [],
    )
  const failed = task('b', 'blocked', { failedAt: 1, reason: 'exit 1' })
  expect(cancelDependents('a', [task('a', 'cancelled'), failed, task('c')], chain('a', 'b', 'c'))).toEqual([])
})

test('[BO21] reopening a task restores the tasks that were cancelled because of it', () => {
  const links = [...chain('a', 'b', 'd'), ...chain('a', 'c', 'e', 'd')]
  const before = [
    task('a'),
    task('b'),
    task('c', 'blocked', { reason: 'no key' }),
    task('d', 'backlog'),
    task('e'),
    task('f', 'cancelled', { reason: 'by hand' }),
  ]
  const stopped = stop(before, links, 'a')
  expect(statuses(stopped)).toMatchObject({ b: 'cancelled', c: 'cancelled', d: 'cancelled', e: 'cancelled' })
  expect(takeUp(stopped, links, 'a', before[0]!)).toEqual(before)
})

test('[BO22] a task with several stopped blockers returns when the last one is reopened', () => {
  const links = [...chain('a', 'c'), ...chain('b', 'c')]
  const before = [task('a'), task('b'), task('c')]
  const both = stop(stop(before, links, 'a'), links, 'b')
  const one = takeUp(both, links, 'a', before[0]!)
  expect(one[2]).toMatchObject({ status: 'cancelled', reason: '“B” was cancelled', cancelledWith: { blockerId: 'b' } })
  expect(takeUp(one, links, 'b', before[1]!)).toEqual(before)
})

test('[BO22] a task cancelled because of another blocker does not return with this one', () => {
  const cancelledWith = { blockerId: 'b', status: 'todo', reason: null } as const
  const tasks = [task('a'), task('b', 'cancelled'), task('c', 'cancelled', { cancelledWith })]
  expect(reopenDependents('a', tasks, chain('a', 'c'))).toEqual([])
  expect(reopenDependents('a', set(tasks, 'c', { cancelledWith: null }), chain('a', 'c'))).toEqual([])
})

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const board = fc.tuple(
  fc.array(fc.constantFrom<TaskStatus>('backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked'), {
    minLength: ids.length,
    maxLength: ids.length,
  }),
  fc.array(fc.tuple(fc.nat(ids.length - 1), fc.nat(ids.length - 1)), { maxLength: 16 }),
)
const readBoard = ([boardTasks, pairs]: readonly [readonly TaskStatus[], readonly (readonly [number, number])[]]) => ({
  tasks: ids.map((id, at) => task(id, boardTasks[at], { reason: boardTasks[at] === 'blocked' ? `why ${id}` : null })),
  links: pairs.map(([from, to]) => ({ blockerId: ids[from]!, blockedId: ids[to]! })),
})

test('[BO22] stopping tasks and reopening them in any order restores the board', () => {
  const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 })
  fc.assert(
    fc.property(board, fc.shuffledSubarray(ids, { minLength: 3, maxLength: 3 }), order, (boardTasks, roots, back) => {
      const { tasks, links: all } = readBoard(boardTasks)
      const links = all.filter(({ blockerId, blockedId }) => blockerId < blockedId)
      let now: readonly DependentTask[] = tasks
      // A person cannot stop a task that is already cancelled because of another one.
      const stopped = roots.filter((id) => {
        if (now.find((known) => known.id === id)!.status === 'cancelled') return false
        now = stop(now, links, id)
        return true
      })
      for (const at of back) {
        const id = stopped[at]
        if (id !== undefined) now = takeUp(now, links, id, tasks.find((known) => known.id === id)!)
      }
      expect(now).toEqual(tasks)
    }),
  )
})

test('[BO23] cycles, unknown tasks and blockers that have not stopped only end the search', () => {
  fc.assert(
    fc.property(board, fc.constantFrom(...ids), (boardTasks, root) => {
      const { tasks, links } = readBoard(boardTasks)
      expect(cancelDependents(root, tasks, links)).toEqual([])
      const after = stop(tasks, [...links, { blockerId: root, blockedId: 'gone' }], root)
      for (const [at, known] of tasks.entries()) {
        if (known.id === root || !['in_progress', 'in_review', 'done'].includes(known.status)) continue
        expect(after[at]).toEqual(known)
      }
      expect(reopenDependents(root, after, links)).toEqual([])
    }),
  )
  expect(cancelDependents('gone', [], [])).toEqual([])
  expect(reopenDependents('gone', [], [])).toEqual([])
})
