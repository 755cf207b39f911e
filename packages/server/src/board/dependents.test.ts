import { describe, expect, it } from 'vitest'
import { testEngines } from '../store/test-stores.ts'
import { OPERATOR, type TestBoard, useBoards } from './test-board.ts'

const statuses = async (board: TestBoard, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await board.get(id)).status))

describe.each(testEngines())('dependencies on $engine', ({ createDatabase }) => {
  const open = useBoards(createDatabase)

  it('[BO68] refuses a link that closes a cycle or leads to another team', async () => {
    const [board, elsewhere] = [await open(), await open()]
    const [a, b, c] = [await board.make(), await board.make(), await board.make()]
    await board.tasks.link({ blockerId: a.id, blockedId: b.id }, OPERATOR)
    await board.tasks.link({ blockerId: b.id, blockedId: c.id }, OPERATOR)
    const link = (blockerId: string, blockedId: string) => board.tasks.link({ blockerId, blockedId }, OPERATOR)
    await expect(link(c.id, a.id)).rejects.toMatchObject({ code: 'dependency_cycle' })
    await expect(link(a.id, a.id)).rejects.toMatchObject({ code: 'dependency_cycle' })
    await expect(link((await elsewhere.make()).id, a.id)).rejects.toMatchObject({ code: 'task_not_found' })
    await expect(link('none', a.id)).rejects.toMatchObject({ code: 'task_not_found' })
    const lineCount = board.lines.length
    expect(await link(a.id, b.id)).toMatchObject({ openBlockers: 1 })
    expect(board.lines).toHaveLength(lineCount)
  })

  it('[BO68] concurrent links never close a cycle together, even when they share no task', async () => {
    const board = await open()
    const link = (blockerId: string, blockedId: string) => board.tasks.link({ blockerId, blockedId }, OPERATOR)
    for (let n = 0; n < 8; n++) {
      const a = await board.make()
      const b = await board.make({ blockerIds: [a.id] })
      const c = await board.make()
      const d = await board.make({ blockerIds: [c.id] })
      const made = await Promise.allSettled([link(b.id, c.id), link(d.id, a.id)])
      expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('[BO69] counts open blockers as they are linked, done, reopened and unlinked', async () => {
    const board = await open()
    const [a, b] = [await board.make(), await board.make()]
    const { id } = await board.make({ blockerIds: [a.id] })
    const open_ = async () => (await board.get(id)).openBlockers
    expect(await open_()).toBe(1)
    await board.tasks.link({ blockerId: b.id, blockedId: id }, OPERATOR)
    expect(await open_()).toBe(2)
    await board.tasks.signOff(a.id, OPERATOR)
    await board.tasks.signOff(b.id, OPERATOR)
    expect(await open_()).toBe(0)
    await board.tasks.move(a.id, { to: 'todo' }, OPERATOR)
    expect(await open_()).toBe(1)
    await board.tasks.unlink({ blockerId: a.id, blockedId: id }, OPERATOR)
    expect(await open_()).toBe(0)
    await board.claim(id)
  })

  it('[BO70] a task that waits for a failed or cancelled task is cancelled and restored with it', async () => {
    const board = await open()
    const a = await board.make({ title: 'A' })
    const b = await board.make({ title: 'B', blockerIds: [a.id] })
    const c = await board.make({ title: 'C', status: 'backlog', blockerIds: [b.id] })
    await board.reports.submit(board.report(await board.claim(a.id), 'failed'))
    expect(await statuses(board, b.id, c.id)).toEqual(['cancelled', 'cancelled'])
    expect(await board.get(b.id)).toMatchObject({ reason: '“A” failed' })
    expect(board.lines.at(-1)?.text).toContain('“A” is blocked')
    await board.tasks.move(a.id, { to: 'todo' }, OPERATOR)
    expect(await statuses(board, a.id, b.id, c.id)).toEqual(['todo', 'todo', 'backlog'])
    expect(await board.get(b.id)).toMatchObject({ reason: null, cancelledWith: null, endedAt: null })
    await board.tasks.move(b.id, { to: 'cancelled', reason: 'Not now.' }, OPERATOR)
    expect(await board.get(c.id)).toMatchObject({ status: 'cancelled', reason: '“B” was cancelled' })
    const changes = (await board.records.events('task-changed')).filter(({ task }) => task.id === c.id)
    expect(changes.map(({ task }) => task.status)).toEqual(['backlog', 'cancelled', 'backlog', 'cancelled'])
  })

  it('[BO71] unlinking restores a task that was cancelled with its blocker, unless another blocker stopped', async () => {
    const board = await open()
    const [a, b] = [await board.make({ title: 'A' }), await board.make({ title: 'B' })]
    const { id } = await board.make({ title: 'C', blockerIds: [a.id, b.id] })
    const behind = await board.make({ title: 'D', blockerIds: [id] })
    const sibling = await board.make({ title: 'E', blockerIds: [a.id] })
    await board.tasks.move(a.id, { to: 'cancelled' }, OPERATOR)
    await board.tasks.move(b.id, { to: 'cancelled' }, OPERATOR)
    await board.tasks.unlink({ blockerId: a.id, blockedId: id }, OPERATOR)
    expect(await board.get(id)).toMatchObject({ status: 'cancelled', reason: '“B” was cancelled' })
    await board.tasks.unlink({ blockerId: b.id, blockedId: id }, OPERATOR)
    expect(await board.get(id)).toMatchObject({ status: 'todo', openBlockers: 0 })
    expect(await statuses(board, behind.id, sibling.id)).toEqual(['todo', 'cancelled'])
  })

  it('[BO72] cancelling a task cancels the subtasks that have not started; failing it does not', async () => {
    const board = await open()
    const parent = await board.make({ title: 'Parent' })
    const [child, begun] = [await board.make({ parentId: parent.id }), await board.make({ parentId: parent.id })]
    const below = await board.make({ parentId: child.id })
    await board.claim(begun.id)
    await board.tasks.move(parent.id, { to: 'cancelled' }, OPERATOR)
    expect(await statuses(board, child.id, begun.id, below.id)).toEqual(['cancelled', 'in_progress', 'cancelled'])
    expect(await board.get(child.id)).toMatchObject({ reason: '“Parent” was cancelled' })
    await board.tasks.move(parent.id, { to: 'todo' }, OPERATOR)
    expect(await statuses(board, child.id, below.id)).toEqual(['todo', 'todo'])
    await board.reports.submit(board.report(await board.claim(parent.id), 'failed'))
    expect(await statuses(board, parent.id, child.id)).toEqual(['blocked', 'todo'])
  })

  it('[BO73] a task with an open subtask can be done, with a warning', async () => {
    const board = await open()
    const parent = await board.make()
    await board.make({ parentId: parent.id })
    const done = await board.tasks.signOff(parent.id, OPERATOR)
    expect(done).toMatchObject({ task: { status: 'done' }, warnings: ['A subtask is still open.'] })
    expect(board.lines.at(-1)?.text).toContain('A subtask is still open.')
  })
})
