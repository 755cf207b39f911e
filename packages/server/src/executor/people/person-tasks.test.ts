import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../../board/test-board.ts'
import { testEngines } from '../../store/test-stores.ts'
import { type TestPeople, usePeople } from './test-people.ts'

describe.each(testEngines())('Tasks of people, on $engine', ({ createDatabase }) => {
  const { open, begin, detail } = usePeople(createDatabase)

  it('[PE3] a task can be assigned only to existing people and the operator', async () => {
    const { board, server } = await begin()
    const { store } = board.records
    await store.agents.update('source-a', server.kim.id, { archivedAt: 5, updatedAt: 5 })
    for (const assignee of [
      { kind: 'person', id: 'nobody' },
      { kind: 'person', id: board.agentId },
      { kind: 'agent', id: server.robin.id },
      server.kim,
    ] as const) {
      await expect(board.make({ assignee })).rejects.toMatchObject({ code: 'agent_not_found' })
    }
    const { item } = await server.ask({ assignee: { kind: 'person', id: 'operator' } })
    expect(item).toMatchObject({ agentId: null, task: { askedOf: 'Operator', askedBy: 'Operator' } })
    await server.answer(item, 'done')
    const { evidence } = await detail(board, item.subjectId!)
    expect(evidence).toMatchObject([{ kind: 'sign-off', person: { id: 'operator' } }])
  })

  it('[PE10] a ready or running task has one open item, and any other task has none', async () => {
    const { board, server } = await begin()
    const first = await board.make({})
    const { task } = await server.ask({ blockerIds: [first.id] })
    const { task: later } = await server.ask({ status: 'backlog' })
    expect([await server.items(task.id), await server.items(later.id), await server.items(first.id)]).toEqual([
      [],
      [],
      [],
    ])
    await board.tasks.signOff(first.id, OPERATOR)
    expect(await server.items(task.id)).toMatchObject([
      { kind: 'task', agentId: server.robin.id, runId: null, subjectId: task.id, state: 'open', expiresAt: null },
    ])
    await board.tasks.move(later.id, { to: 'todo' }, OPERATOR)
    expect(await server.items(later.id)).toHaveLength(1)
    await board.tasks.move(later.id, { to: 'cancelled' }, OPERATOR)
    expect(await server.items(later.id)).toEqual([])
  })

  it('[PE11] an item follows the wording of its task, and expires when the task is moved on or reassigned', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    expect(item).toMatchObject({
      title: 'Water the ferns',
      detail: 'All of them.',
      answers: ['accept', 'answer', 'done', 'refuse'],
      task: { teamId: board.teamId, askedBy: 'Operator', askedOf: 'Robin' },
    })
    await board.tasks.patch(task.id, { title: 'Water the moss', body: 'x'.repeat(9000) }, OPERATOR)
    const [reworded] = await server.items(task.id)
    expect(reworded).toMatchObject({ id: item.id, title: 'Water the moss' })
    expect(reworded!.detail).toMatch(/^x{3999}…$/)
    await board.tasks.patch(task.id, { assignee: server.kim }, OPERATOR)
    const [kims] = await server.items(task.id)
    expect(kims).toMatchObject({ agentId: server.kim.id, state: 'open' })
    expect(await board.records.store.attention.get(item.id)).toMatchObject({ state: 'expired' })
    await expect(server.answer(item, 'done')).rejects.toMatchObject({ code: 'attention_settled' })
    await board.tasks.patch(task.id, { assignee: { kind: 'agent', id: board.agentId } }, OPERATOR)
    expect(await server.items(task.id)).toEqual([])
  })

  it('[PE11] an item follows the names of people, and expires with its team', async () => {
    const { board, server } = await begin()
    const { store, record } = board.records
    const { task, item } = await server.ask()
    await record({ action: null }, async (tx) => {
      const agent = (await tx.agents.update('source-a', server.robin.id, { name: 'Rob', updatedAt: board.now() }))!
      return { result: undefined, events: [{ type: 'agent-upserted', agent }] }
    })
    expect(await server.items(task.id)).toMatchObject([{ id: item.id, task: { askedOf: 'Rob' } }])
    await record({ action: null }, async (tx) => {
      await tx.teams.remove(board.teamId)
      return { result: undefined, events: [{ type: 'team-removed', teamId: board.teamId }] }
    })
    expect(await server.items(task.id)).toEqual([])
    expect(await store.attention.get(item.id)).toMatchObject({ state: 'expired' })
  })

  it('[PE12] an accepted task is claimed in the person’s name, and neither a lease nor a restart ends the claim', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    expect(await server.answer(item, 'accept')).toMatchObject({ state: 'open', answers: ['answer', 'done', 'refuse'] })
    expect(await board.get(task.id)).toMatchObject({ status: 'in_progress', assignee: server.robin, attempts: 1 })
    await board.claims.expire()
    expect(await server.items(task.id)).toMatchObject([{ id: item.id, state: 'open' }])
    const { attempts } = await detail(board, task.id)
    expect(attempts).toMatchObject([{ state: 'running', agentId: server.robin.id, owner: 'people' }])
    expect(attempts[0]!.leaseUntil).toBeGreaterThan(Date.now() + 50 * 365 * 86_400_000)
    await expect(server.answer(item, 'accept')).rejects.toMatchObject({ code: 'answer_refused' })
    await board.tasks.move(task.id, { to: 'todo' }, OPERATOR)
    expect(await server.items(task.id)).toMatchObject([{ id: item.id, answers: expect.arrayContaining(['accept']) }])
  })

  it('[PE13] an answer needs a text, becomes a comment of the person, and leaves the item open', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    for (const answer of ['answer', 'refuse'] as const)
      await expect(server.answer(item, answer, ' ')).rejects.toMatchObject({ code: 'request_invalid' })
    expect(await server.answer(item, 'answer', ' Which ferns? ')).toMatchObject({ id: item.id, state: 'open' })
    const { comments } = await detail(board, task.id)
    expect(comments).toMatchObject([{ author: { kind: 'person', id: server.robin.id }, body: 'Which ferns?' }])
    expect(await server.items(task.id)).toMatchObject([{ id: item.id }])
  })

  it('[PE14] done adds a comment, ends the attempt and signs the task off in the person’s name', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    await server.answer(item, 'accept', 'On it.')
    expect(await server.answer(item, 'done', 'All wet.')).toMatchObject({ state: 'answered', answer: 'done' })
    const shown = await detail(board, task.id)
    expect(shown.task).toMatchObject({ status: 'done', assignee: server.robin })
    expect(shown.comments.map(({ body }) => body)).toEqual(['On it.', 'All wet.'])
    expect(shown.evidence).toMatchObject([{ kind: 'sign-off', person: { id: server.robin.id, name: 'Robin' } }])
    expect(shown.attempts).toMatchObject([{ state: 'completed', costUsd: null }])
    expect(await server.items(task.id)).toEqual([])
    const quick = await server.ask()
    await server.answer(quick.item, 'done')
    expect((await board.get(quick.task.id)).status).toBe('done')
  })

  it('[PE14] an answer that the board refuses changes no comment, task or item', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    const before = await board.get(task.id)
    await expect(server.answer(item, 'done', '\ud800')).rejects.toMatchObject({ code: 'request_invalid' })
    const long = 'x'.repeat(70_000)
    await expect(server.answer(item, 'refuse', long)).rejects.toMatchObject({ code: 'request_invalid' })
    expect(await board.get(task.id)).toEqual(before)
    expect((await detail(board, task.id)).comments).toEqual([])
    expect(await server.items(task.id)).toEqual([item])
  })

  it('[PE15] a refusal adds a comment, blocks the task with the reason and unassigns it', async () => {
    const { board, server } = await begin()
    for (const isAccepted of [false, true]) {
      const { task, item } = await server.ask()
      if (isAccepted) await server.answer(item, 'accept')
      await server.answer(item, 'refuse', 'No can.')
      const shown = await detail(board, task.id)
      expect(shown.task).toMatchObject({ status: 'blocked', reason: 'Robin refused: No can.', assignee: null })
      expect(shown.comments).toMatchObject([{ body: 'No can.', author: { id: server.robin.id } }])
      expect(shown.attempts.map(({ state }) => state)).toEqual(isAccepted ? ['blocked'] : [])
      expect(await server.items(task.id)).toEqual([])
    }
  })

  it('[PE16] only one of many final answers counts, and it is audited with its effects', async () => {
    const { board, server } = await begin()
    const { task, item } = await server.ask()
    const tries = await Promise.allSettled(
      (['done', 'refuse', 'done', 'refuse'] as const).map((answer) => server.answer(item, answer, 'words')),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'attention_settled' })
    expect((await detail(board, task.id)).comments).toHaveLength(1)
    const audit = await board.records.audit()
    expect(audit.filter(({ subject }) => subject === item.id)).toMatchObject([
      { actor: 'operator', action: 'attention.answer', detail: { kind: 'task', title: 'Water the ferns' } },
    ])
    const done = audit.filter(({ subject, action }) => subject === task.id && action !== 'task.create')
    expect(new Set(done.map(({ actor }) => actor))).toEqual(new Set([`person:${server.robin.id}`]))
  })

  it('[PE17] the next start updates the items once, whatever changed while the server was off', async () => {
    const { board, server } = await begin()
    const moved = await server.ask({ title: 'Moved' })
    const passed = await server.ask({ title: 'Passed on' })
    const accepted = await server.ask({ title: 'Accepted' })
    await server.answer(accepted.item, 'accept')
    const unchanged = await server.ask({ title: 'Unchanged' })
    await server.close()
    await board.tasks.signOff(moved.task.id, OPERATOR)
    await board.tasks.patch(passed.task.id, { assignee: server.kim }, OPERATOR)
    await board.tasks.move(accepted.task.id, { to: 'in_review' }, OPERATOR)
    const fresh = await board.make({ assignee: server.robin })
    const titles = async (one: TestPeople, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await one.items(id)).map(({ agentId, id }) => [agentId, id])))
    const ids = [moved, passed, accepted, unchanged].map(({ task }) => task.id).concat(fresh.id)
    // Two at once, then a third: several servers may read one board.
    const [one, other] = await Promise.all([open(board), open(board)])
    const found = await titles(one!, ids)
    expect(found.map((items) => items.map(([agentId]) => agentId))).toEqual([
      [],
      [server.kim.id],
      [],
      [server.robin.id],
      [server.robin.id],
    ])
    expect(found[3]![0]![1]).toBe(unchanged.item.id)
    expect(await titles(other!, ids)).toEqual(found)
    expect(await titles(await open(board), ids)).toEqual(found)
  })

  it('[PE18] a task that is moved by hand has no running attempt, and keeps its new status', async () => {
    const { board, server } = await begin()
    for (const to of ['in_review', 'blocked', 'backlog'] as const) {
      const { task, item } = await server.ask()
      await server.answer(item, 'accept')
      const reason = to === 'blocked' ? { reason: 'It rains.' } : {}
      await board.tasks.move(task.id, { to: to === 'backlog' ? 'todo' : to, ...reason }, OPERATOR)
      if (to === 'backlog') await board.tasks.move(task.id, { to }, OPERATOR)
      expect(await server.items(task.id)).toEqual([])
      const shown = await detail(board, task.id)
      expect(shown.task.status).toBe(to)
      expect(shown.attempts.map(({ state }) => state)).not.toContain('running')
    }
  })

  it('[PE19] an agent assigns a task to a person of its team, and the item names the agent', async () => {
    const { board, server } = await begin()
    const { id } = await board.tasks.create(
      { teamId: board.teamId, title: 'Decide', assignee: server.robin },
      board.agent(),
    )
    expect(await server.items(id)).toMatchObject([{ task: { askedBy: `Name of ${board.agentId}`, askedOf: 'Robin' } }])
    const own = await board.make({})
    const below = await board.tasks.create(
      { teamId: board.teamId, title: 'Decide more', assignee: server.robin },
      board.agent({ taskId: own.id, runId: 'another-run' }),
    )
    expect(below.parentId).toBe(own.id)
    const [item] = await server.items(below.id)
    await server.answer(item!, 'refuse', 'Not mine.')
    expect((await detail(board, below.id)).comments).toMatchObject([{ body: 'Not mine.' }])
  })
})
