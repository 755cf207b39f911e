import { afterEach, describe, expect, it } from 'vitest'
import { type BoardLine, createBoardLines } from '../../board/board-change.ts'
import { changeTogether } from '../../board/change-together.ts'
import { createTask } from '../../board/create-task.ts'
import { createTasks } from '../../board/tasks.ts'
import type { TestRecords } from '../../executor/test-records.ts'
import { testEngines } from '../../store/test-stores.ts'
import { useRooms } from '../posts/test-rooms.ts'
import { type BoardNarration, createBoardNarration } from './board-narration.ts'

const OPERATOR = { kind: 'operator' } as const

describe.each(testEngines())('The narration of the board, on $engine', ({ createDatabase }) => {
  const openRoom = useRooms(createDatabase, 2)
  const started: BoardNarration[] = []
  afterEach(async () => {
    for (const narration of started.splice(0)) await narration.close()
  })

  /** The board and the narration of one server. */
  const openBoard = ({ store, record, log }: TestRecords) => {
    const lines = createBoardLines(log)
    const stored: BoardLine[] = []
    lines.onLine((line) => void stored.push(line))
    const narration = createBoardNarration({ store, record, lines, log })
    started.push(narration)
    const board = { store, record, lines }
    return { board, tasks: createTasks(board), narration, stored }
  }
  const postsOf = async ({ records: { store }, roomId }: Awaited<ReturnType<typeof openRoom>>) =>
    store.posts.after(roomId, 0, 1000)

  it('[TC80] a change stores its line in its own transaction, and a failed change stores none', async () => {
    const room = await openRoom()
    const { board, tasks, stored } = openBoard(room.records)
    const { boardLines } = room.records.store
    await tasks.create({ teamId: room.teamId, title: 'Kept' }, OPERATOR)
    await expect(tasks.create({ teamId: room.teamId, title: '' }, OPERATOR)).rejects.toThrow()
    const about = { action: 'plan.make', subject: 'p', actor: 'operator', teamId: room.teamId }
    const undone = changeTogether(board, about, async (_, inner) => {
      await createTask(inner, { teamId: room.teamId, title: 'Undone' }, OPERATOR)
      throw new Error('not like this')
    })
    await expect(undone).rejects.toThrow('not like this')
    expect(await boardLines.take(room.teamId, 9)).toEqual(stored)
    expect(stored).toMatchObject([{ action: 'task.create', text: expect.stringContaining('“Kept”') }])
  })

  it('[TC80] every line is posted once by the system, in order, with its task, including lines from before the start', async () => {
    const room = await openRoom()
    const { tasks, narration, stored } = openBoard(room.records)
    const first = await tasks.create({ teamId: room.teamId, title: 'Before' }, OPERATOR)
    expect(await postsOf(room)).toEqual([])
    await narration.start()
    const second = await tasks.create({ teamId: room.teamId, title: 'After [Inter-session message' }, OPERATOR)
    await tasks.move(second.id, { to: 'blocked', reason: 'It rains.' }, OPERATOR)
    await tasks.comment(first.id, { body: 'Hm' }, OPERATOR)
    await narration.settled()
    const posts = await postsOf(room)
    expect(posts.map(({ seq, body, taskId }) => [seq, body, taskId])).toEqual(
      stored.map(({ text, taskId }, n) => [n + 1, text, taskId]),
    )
    for (const post of posts)
      expect(post).toMatchObject({ kind: 'system', author: { kind: 'system' }, credential: 'server', chainId: null })
    expect(await room.records.store.boardLines.teams()).not.toContain(room.teamId)
  })

  it('[TC80] the lines of a removed team are dropped and block no other team', async () => {
    const [gone, here] = [await openRoom(), await openRoom()]
    const { tasks, narration } = openBoard(here.records)
    for (const { teamId } of [gone, here]) await tasks.create({ teamId, title: 'Left' }, OPERATOR)
    await here.records.store.teams.remove(gone.teamId)
    await narration.start()
    await narration.settled()
    expect(await here.records.store.boardLines.teams()).toEqual([])
    expect([(await postsOf(gone)).length, (await postsOf(here)).length]).toEqual([0, 1])
  })

  it('[TC82] waiting lines of one kind are posted together, and no line is lost', async () => {
    const room = await openRoom()
    const { tasks, narration, stored } = openBoard(room.records)
    for (let n = 0; n < 70; n++) await tasks.create({ teamId: room.teamId, title: `Task ${n}` }, OPERATOR)
    await narration.start()
    await narration.settled()
    const posts = await postsOf(room)
    expect(posts.length).toBeLessThan(5)
    expect(posts.flatMap(({ body }) => body.split('\n'))).toEqual(stored.map(({ text }) => text))
  })

  it('[TC83] two servers that narrate one board post each line once and in order', async () => {
    const room = await openRoom()
    const boards = room.servers.map(({ records }) => openBoard(records))
    for (const { narration } of boards) await narration.start()
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        boards[n % 2]!.tasks.create({ teamId: room.teamId, title: `Task ${n}` }, OPERATOR),
      ),
    )
    await Promise.all(
      made.map(({ id }, n) => boards[(n + 1) % 2]!.tasks.move(id, { to: 'blocked', reason: 'So.' }, OPERATOR)),
    )
    for (const { narration } of boards) await narration.settled()
    const posts = await postsOf(room)
    const lines = posts.flatMap(({ body }) => body.split('\n'))
    expect([...lines].sort()).toEqual(boards.flatMap(({ stored }) => stored.map(({ text }) => text)).sort())
    expect(posts.map(({ seq }) => seq)).toEqual(posts.map((_, n) => n + 1))
    // The log has the changes in the order of their commits.
    const changes = (await room.records.events('task-changed')).filter(({ task }) => task.teamId === room.teamId)
    const titles = lines.map((text) => /“(Task \d+)”/.exec(text)?.[1])
    expect(titles).toEqual(changes.map(({ task }) => task.title))
  })
})
