import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../../board/test-board.ts'
import { sql } from '../../store/sql.ts'
import { testEngines } from '../../store/test-stores.ts'
import { openPeople, usePeople } from './test-people.ts'

describe.each(testEngines())('Tasks of people who leave, and busy boards, on $engine', ({ createDatabase }) => {
  const { open, begin, detail } = usePeople(createDatabase)

  it('[PE23] a deleted person has no items, and the tasks they accepted are released', async () => {
    const { board, server } = await begin()
    const { record } = board.records
    const accepted = await server.ask()
    await server.answer(accepted.item, 'accept')
    const waiting = await server.ask()
    const kims = await server.ask({ assignee: server.kim })
    await server.answer(kims.item, 'accept')
    await record({ action: null }, async (tx) => {
      await tx.agents.remove('source-a', server.robin.id)
      return { result: undefined, events: [{ type: 'agent-removed', agentId: server.robin.id }] }
    })
    for (const { task } of [accepted, waiting]) {
      expect(await server.items(task.id)).toEqual([])
      expect(await board.get(task.id)).toMatchObject({ status: 'todo', assignee: server.robin, attemptId: null })
    }
    expect((await detail(board, accepted.task.id)).attempts).toMatchObject([{ state: 'released' }])
    expect(await board.get(kims.task.id)).toMatchObject({ status: 'in_progress' })
    await board.tasks.patch(accepted.task.id, { assignee: server.kim }, OPERATOR)
    expect(await server.items(accepted.task.id)).toMatchObject([{ agentId: server.kim.id }])
  })

  it('[PE23] the tasks of a person who was archived while the server was off are released at the next start', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    await server.answer(item, 'accept')
    await server.close()
    await board.records.store.agents.update('source-a', server.robin.id, { archivedAt: 5, updatedAt: 5 })
    const next = await open(board)
    expect(await next.items(task.id)).toEqual([])
    expect(await board.get(task.id)).toMatchObject({ status: 'todo', assignee: server.robin })
  })

  it('[PE24] a stopping server does not wait for a board that changes all the time', async () => {
    const { board } = await begin()
    let [reads, isRestless] = [0, false]
    const restless = await openPeople(board, (events) => ({
      lastSeq: events.lastSeq,
      onAdvance: events.onAdvance,
      // A reader at the end always finds that there is more.
      get head() {
        return events.head + (isRestless ? 1 : 0)
      },
      async after(cursor, limit) {
        reads++
        await new Promise((resolve) => setImmediate(resolve))
        return events.after(cursor, limit)
      },
    }))
    isRestless = true
    await board.make({ assignee: restless.robin })
    while (reads < 20) await new Promise((resolve) => setImmediate(resolve))
    await restless.close()
    const until = reads
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toBe(until)
  })

  it('[PE24] a task that cannot be read does not block the others', async () => {
    const { board, server } = await begin()
    const { db } = board.records.store
    const broken = await server.ask({ title: 'Broken' })
    await db.run(sql`UPDATE tasks SET cancelled_with = '{' WHERE id = ${broken.task.id}`)
    const touch = (taskId: string) =>
      board.records.record({ action: null }, async () => ({
        result: undefined,
        events: [{ type: 'task-changed', task: { ...broken.task, id: taskId } }],
      }))
    await touch(broken.task.id)
    const next = await board.make({ assignee: server.robin })
    await expect.poll(() => board.records.store.attention.openTasks(next.id)).toHaveLength(1)
    await db.run(sql`UPDATE tasks SET cancelled_with = NULL, title = 'Mended' WHERE id = ${broken.task.id}`)
    expect(await server.items(broken.task.id)).toMatchObject([{ title: 'Mended' }])
  })
})
