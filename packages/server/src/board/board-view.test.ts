import type { BoardTask } from '@clawboo/core/board'
import { describe, expect, it } from 'vitest'
import { readWaitingTasks } from '../executor/dispatch/read-candidates.ts'
import { sampleSize } from '../store/contract/test-sample.ts'
import { testEngines } from '../store/test-stores.ts'
import { OPERATOR, type TestBoard, useBoards } from './test-board.ts'

const column = async (board: TestBoard, status: string) =>
  (await board.view.board(board.teamId)).find((found) => found.status === status)!.tasks.map(({ title }) => title)

describe.each(testEngines())('the board on $engine', ({ createDatabase }) => {
  const open = useBoards(createDatabase)

  it('[BO83] a board has every column in order, pages through long columns and leaves out bodies', async () => {
    const board = await open()
    for (const title of ['1', '2', '3']) await board.make({ title, body: 'long' })
    await board.make({ title: 'later', status: 'backlog' })
    const columns = await board.view.board(board.teamId, { limitPerColumn: 2 })
    expect(columns.map(({ status, tasks }) => `${status} ${tasks.map(({ title }) => title).join()}`.trim())).toEqual([
      ...['backlog later', 'todo 1,2', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled'],
    ])
    const [, todo] = columns
    expect(todo!.hasMore).toBe(true)
    expect(todo!.tasks[0]).not.toHaveProperty('body')
    const rest = await board.view.column(board.teamId, 'todo', { limit: 2, after: todo!.tasks[1]! })
    expect(rest).toMatchObject({ tasks: [{ title: '3' }], hasMore: false })
    await expect(board.view.board('none')).rejects.toMatchObject({ code: 'team_not_found' })
  })

  it('[BO83] reads every card of a column with thousands of tasks, in order', async () => {
    const board = await open()
    const { store } = board.records
    const count = sampleSize(1_000, 10_000)
    const first = await board.make({ status: 'backlog' })
    await store.transaction(async (tx) => {
      for (let n = 0; n < count; n++) await tx.tasks.insert({ ...first, id: `${first.id}-${n}`, position: n })
    })
    const [backlog] = await board.view.board(board.teamId, { limitPerColumn: count + 1 })
    expect(backlog!.tasks.map(({ position }) => position)).toEqual([...Array(count).keys(), first.position])
  })

  it('[BO84] moves a task before another in its column, any number of times', async () => {
    const board = await open()
    const made: BoardTask[] = []
    for (const title of ['a', 'b', 'c']) made.push(await board.make({ title }))
    const [a, b, c] = made as [BoardTask, BoardTask, BoardTask]
    await board.tasks.move(c.id, { to: 'todo', beforeId: a.id }, OPERATOR)
    expect(await column(board, 'todo')).toEqual(['c', 'a', 'b'])
    await board.tasks.move(c.id, { to: 'todo', beforeId: null }, OPERATOR)
    expect(await column(board, 'todo')).toEqual(['a', 'b', 'c'])
    for (let n = 0; n < 14; n++) {
      await board.tasks.move(n % 2 === 0 ? c.id : b.id, { to: 'todo', beforeId: n % 2 === 0 ? b.id : c.id }, OPERATOR)
      expect(await column(board, 'todo')).toEqual(n % 2 === 0 ? ['a', 'c', 'b'] : ['a', 'b', 'c'])
    }
    const idea = await board.make({ title: 'idea', status: 'backlog' })
    await board.tasks.move(idea.id, { to: 'todo', beforeId: b.id }, OPERATOR)
    expect(await column(board, 'todo')).toEqual(['a', 'idea', 'b', 'c'])
    await board.make({ title: 'last' })
    expect((await column(board, 'todo')).at(-1)).toBe('last')
    await expect(board.tasks.move(a.id, { to: 'backlog', beforeId: b.id }, OPERATOR)).rejects.toMatchObject({
      code: 'task_not_found',
    })
  })

  it('[BO85] shows a task with its blockers, dependents, subtasks and attempts', async () => {
    const board = await open()
    const before = await board.make({ title: 'Before' })
    const { id } = await board.make({ title: 'Now', blockerIds: [before.id] })
    await board.make({ title: 'After', blockerIds: [id] })
    await board.make({ title: 'Below', parentId: id })
    expect(await board.view.task(id, OPERATOR)).toMatchObject({
      task: { id, openBlockers: 1 },
      readiness: { ready: false, reason: 'waits for “Before”' },
      blockers: [{ title: 'Before', status: 'todo' }],
      dependents: [{ title: 'After' }],
      children: [{ title: 'Below' }],
      attempts: [],
    })
    await board.tasks.signOff(before.id, OPERATOR)
    await board.claim(id)
    expect((await board.view.task(id, OPERATOR)).attempts).toMatchObject([{ number: 1, state: 'running' }])
    await expect(board.view.task('none', OPERATOR)).rejects.toMatchObject({ code: 'task_not_found' })
  })

  it('[BO86] reads the queue in order, with the reason that each task waits and its number of fruitless attempts', async () => {
    const board = await open()
    const old = await board.make({ title: 'old' })
    const urgent = await board.make({ title: 'urgent', priority: 'urgent' })
    await board.make({ title: 'waits', blockerIds: [old.id] })
    for (let n = 0; n < 2; n++) await board.reports.submit(board.report(await board.claim(old.id), 'released'))
    const read = async () =>
      (await readWaitingTasks(board.records.store, { teamId: board.teamId, limit: 9 })).map(
        ({ task, readiness, fruitlessAttempts }) => `${task.title} ${readiness.ready} ${fruitlessAttempts}`,
      )
    expect(await read()).toEqual(['urgent true 0', 'old true 2', 'waits false 0'])
    await board.claim(urgent.id)
    await board.tasks.move(old.id, { to: 'backlog' }, OPERATOR)
    await board.tasks.move(old.id, { to: 'todo' }, OPERATOR)
    expect(await read()).toEqual(['old true 0', 'waits false 0'])
  })

  it('[BO48] does not count attempts that were ended from outside, on either engine', async () => {
    const board = await open()
    const { id } = await board.make()
    const count = async () =>
      (await readWaitingTasks(board.records.store, { teamId: board.teamId, limit: 9 }))[0]!.fruitlessAttempts
    const end = async (interrupted: boolean) =>
      board.reports.submit(board.report(await board.claim(id), 'released', interrupted ? { interrupted } : {}))
    for (let n = 0; n < 4; n++) await end(true)
    expect(await count()).toBe(0)
    await end(false)
    await end(true)
    expect(await count()).toBe(1)
    await board.runOut((await board.claim(id)).id)
    await board.claims.expire()
    expect(await count()).toBe(2)
  })

  it('[BO91] removing a team removes its board', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    await board.records.store.teams.remove(board.teamId)
    expect(await board.records.store.tasks.get(id)).toBeNull()
    expect(await board.reports.submit(board.report(attempt, 'completed'))).toMatchObject({
      code: 'unknown_attempt',
    })
    expect(await board.claims.renew(attempt)).toBe(false)
  })
})
