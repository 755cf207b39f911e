import { OPERATIONS, type Operation, type OperationId } from '@clawboo/api'
import { ROUTES, type Route } from '@clawboo/api/routes'
import { TASK_STATUSES } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { newRun } from '../../packages/server/src/store/contract/runs-contract.ts'
import { claimTask, describeBoardServer, makeTeam } from './board-server.ts'

describeBoardServer('The board', (server) => {
  const api = () => server().client
  const make = (teamId: string, title: string, more = {}) =>
    api().createTask({ params: { teamId }, body: { title, ...more } })
  const columnOf = (board: Awaited<ReturnType<ReturnType<typeof api>['readBoard']>>, status: string) =>
    board.columns.find((column) => column.status === status)!.tasks.map(({ title }) => title)

  test('[BO130] a board contains its seven columns, the reasons why tasks wait, and the active attempts', async () => {
    const { teamId, agentId } = await makeTeam(server())
    const assignee = { kind: 'agent', id: agentId } as const
    const first = await make(teamId, 'First', { assignee })
    await make(teamId, 'Second', { assignee, blockerIds: [first.id] })
    await make(teamId, 'Nobody’s')
    await make(teamId, 'Some day', { status: 'backlog' })
    const attempt = await claimTask(server(), first.id, agentId)
    await server().claims.note(attempt.id, { runId: 'run-7' })
    const board = await api().readBoard({ params: { teamId } })
    expect(board.columns.map(({ status }) => status)).toEqual([...TASK_STATUSES])
    expect(columnOf(board, 'todo')).toEqual(['Second', 'Nobody’s'])
    expect(columnOf(board, 'backlog')).toEqual(['Some day'])
    expect(board.waits.map(({ code, reason }) => [code, reason])).toEqual([
      ['not_ready', 'waits for “First”'],
      ['unassigned', 'is unassigned'],
    ])
    expect(board.working).toEqual([
      {
        taskId: first.id,
        attemptId: attempt.id,
        attempt: 1,
        agentId,
        runId: 'run-7',
        startedAt: attempt.startedAt,
      },
    ])
    for (const body of board.columns.flatMap(({ tasks }) => tasks)) expect(body).not.toHaveProperty('body')
  })

  test('[BO130] filters a board by assignee, priority and literal part of the title', async () => {
    const { teamId, agentId } = await makeTeam(server())
    await make(teamId, 'Write 100% of the docs', { assignee: { kind: 'agent', id: agentId }, priority: 'high' })
    await make(teamId, 'Write the rest', { assignee: { kind: 'person', id: 'operator' } })
    await make(teamId, 'Read a_b\\c', { priority: 'high' })
    const titles = async (query: Record<string, string>) =>
      columnOf(await api().readBoard({ params: { teamId }, query }), 'todo')
    expect(await titles({ assignee: `agent:${agentId}` })).toEqual(['Write 100% of the docs'])
    expect(await titles({ assignee: 'person:operator' })).toEqual(['Write the rest'])
    expect(await titles({ assignee: 'none' })).toEqual(['Read a_b\\c'])
    expect(await titles({ priority: 'high' })).toEqual(['Write 100% of the docs', 'Read a_b\\c'])
    expect(await titles({ text: 'wRITE' })).toHaveLength(2)
    expect(await titles({ text: '0%' })).toEqual(['Write 100% of the docs'])
    expect(await titles({ text: '%' })).toHaveLength(1)
    expect(await titles({ text: 'a_b\\C' })).toEqual(['Read a_b\\c'])
    expect(await titles({ text: 'a_c' })).toEqual([])
    expect(await titles({ text: 'read', priority: 'low' })).toEqual([])
    await expect(titles({ assignee: 'ada' })).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(titles({ text: 'a\0' })).rejects.toMatchObject({ code: 'request_invalid' })
  })

  test('[BO130] reads a long column in pages with the same filter', async () => {
    const { teamId } = await makeTeam(server())
    for (let n = 0; n < 7; n++) await make(teamId, `Task ${n}`, { priority: n % 2 === 0 ? 'high' : 'low' })
    const params = { teamId, status: 'todo' as const }
    const board = await api().readBoard({ params, query: { limit: 3 } })
    const first = board.columns.find(({ status }) => status === 'todo')!
    expect([first.tasks.length, first.hasMore]).toEqual([3, true])
    const last = first.tasks.at(-1)!
    const after = { afterPosition: last.position, afterId: last.id }
    const rest = await api().readBoardColumn({ params, query: after })
    expect([rest.tasks.map(({ title }) => title), rest.hasMore]).toEqual([
      ['Task 3', 'Task 4', 'Task 5', 'Task 6'],
      false,
    ])
    const high = await api().readBoardColumn({ params, query: { ...after, priority: 'high', limit: 1 } })
    expect([high.tasks.map(({ title }) => title), high.hasMore]).toEqual([['Task 4'], true])
    await expect(api().readBoardColumn({ params, query: { afterId: last.id } })).rejects.toMatchObject({
      code: 'request_invalid',
    })
    const nowhere = { teamId: 'nowhere', status: 'todo' as const }
    await expect(api().readBoardColumn({ params: nowhere })).rejects.toMatchObject({ code: 'team_not_found' })
    await expect(api().readBoard({ params: nowhere })).rejects.toMatchObject({ code: 'team_not_found' })
  })

  test('[BO131] refuses a run’s grant for every operation of boards and tasks', async () => {
    const { teamId, agentId } = await makeTeam(server())
    const task = await make(teamId, 'Mine')
    const runId = `run-${teamId}`
    await server().store.runs.insert(newRun(runId, { agentId, teamId }))
    const binding = { runId, agentId, teamId, roomId: null, taskId: task.id, tools: ['tasks.list_tasks'] }
    const { secret } = await server().grants.issue(binding)
    const ids = (Object.keys(ROUTES) as OperationId[]).filter(
      (id) => (OPERATIONS[id] as Operation).tag === 'Board' || id.endsWith('TeamProject'),
    )
    expect(new Set(ids.map((id) => ROUTES[id].method))).toEqual(new Set(['GET', 'POST', 'PATCH', 'DELETE', 'PUT']))
    for (const id of ids) {
      const { method, path }: Route = ROUTES[id]
      const place = path
        .replace('{teamId}', teamId)
        .replace(/\{(taskId|blockerId)\}/g, task.id)
        .replace('{status}', 'todo')
      const headers = { authorization: `Bearer ${secret}` }
      const answer = await fetch(server().url + place, { method, headers })
      expect([id, answer.status, await answer.json()]).toMatchObject([id, 403, { error: { code: 'grant_refused' } }])
    }
    expect((await api().getTask({ params: { taskId: task.id } })).task).toEqual(task)
  })

  test('[BO131] the actor is the operator and cannot be set in a body', async () => {
    const { teamId } = await makeTeam(server())
    const { id: taskId } = await make(teamId, 'Mine')
    const params = { taskId }
    const sneaked = [
      api().commentTask({ params, body: { body: 'x', author: { kind: 'person', id: 'eve' } } as never }),
      api().moveTask({ params, body: { to: 'done', signOff: true } as never }),
      api().moveTask({ params, body: { to: 'done', overrideReason: 'because' } as never }),
      api().overrideTask({ params, body: { reason: 'because', by: { id: 'eve', name: 'Eve' } } as never }),
      api().updateTask({ params, body: { status: 'done' } as never }),
      make(teamId, 'Other', { source: { kind: 'agent', id: 'eve' } }),
    ]
    for (const outcome of await Promise.allSettled(sneaked))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'body_invalid' } })
    const comment = await api().commentTask({ params, body: { body: 'Look here', file: 'a.ts', line: 3 } })
    expect(comment).toMatchObject({ author: { kind: 'operator', id: null }, runId: null, file: 'a.ts', line: 3 })
    await api().signOffTask({ params })
    const { evidence } = await api().getTask({ params })
    expect(evidence).toMatchObject([{ kind: 'sign-off', person: { id: 'operator', name: 'Operator' } }])
  })

  test('[BO132] every refusal has its own code and changes nothing', async () => {
    const { teamId, agentId } = await makeTeam(server())
    const a = await make(teamId, 'A', { assignee: { kind: 'agent', id: agentId } })
    const b = await make(teamId, 'B', { blockerIds: [a.id] })
    const busy = await make(teamId, 'Busy', { assignee: { kind: 'agent', id: agentId } })
    await claimTask(server(), busy.id, agentId)
    const elsewhere = await make((await makeTeam(server())).teamId, 'Elsewhere')
    const before = await Promise.all([a, b, busy].map(({ id }) => api().getTask({ params: { taskId: id } })))
    const of = (task: { id: string }) => ({ taskId: task.id })
    const refusals: [() => Promise<unknown>, number, string][] = [
      [() => api().moveTask({ params: of(a), body: { to: 'in_progress' } }), 409, 'illegal_transition'],
      [() => api().moveTask({ params: of(a), body: { to: 'done' } }), 409, 'evidence_missing'],
      [() => api().moveTask({ params: of(a), body: { to: 'blocked' } }), 400, 'request_invalid'],
      [() => api().moveTask({ params: of(a), body: { to: 'nowhere' as never } }), 400, 'body_invalid'],
      [() => api().moveTask({ params: of(a), body: { to: 'todo', beforeId: elsewhere.id } }), 404, 'task_not_found'],
      [() => api().overrideTask({ params: of(a), body: { reason: ' ' } }), 400, 'body_invalid'],
      [() => api().linkTask({ params: of(a), body: { blockerId: b.id } }), 409, 'dependency_cycle'],
      [() => api().linkTask({ params: of(a), body: { blockerId: a.id } }), 409, 'dependency_cycle'],
      [() => api().linkTask({ params: of(a), body: { blockerId: elsewhere.id } }), 404, 'task_not_found'],
      [() => api().unlinkTask({ params: { taskId: b.id, blockerId: 'nothing' } }), 404, 'task_not_found'],
      [() => api().updateTask({ params: of(busy), body: { assignee: null } }), 409, 'task_conflict'],
      [
        () => api().updateTask({ params: of(a), body: { assignee: { kind: 'agent', id: 'ghost' } } }),
        404,
        'agent_not_found',
      ],
      [() => api().updateTask({ params: of(a), body: { title: 'two\nlines' } }), 400, 'request_invalid'],
      [() => api().commentTask({ params: of(a), body: { body: 'x\0' } }), 400, 'body_invalid'],
      [() => api().commentTask({ params: of(a), body: { body: 'x', line: 3 } }), 400, 'request_invalid'],
      [() => api().takeBackTask({ params: of(a) }), 409, 'illegal_transition'],
      [() => api().mergeTask({ params: of(a) }), 409, 'worktree_refused'],
      [() => api().mergeTask({ params: of(busy) }), 409, 'task_conflict'],
      [() => api().checkTask({ params: of(a) }), 409, 'worktree_refused'],
      [() => api().getTask({ params: { taskId: 'ghost' } }), 404, 'task_not_found'],
      [() => api().readTaskDiff({ params: { taskId: 'ghost' } }), 404, 'task_not_found'],
      [() => make('ghost', 'A'), 404, 'team_not_found'],
      [() => make(teamId, 'C', { parentId: 'ghost' }), 404, 'task_not_found'],
      [() => make(teamId, 'C', { blockerIds: [elsewhere.id] }), 404, 'task_not_found'],
    ]
    for (const [refusal, status, code] of refusals)
      await expect(refusal()).rejects.toMatchObject({ status, code, message: expect.stringMatching(/\w/) })
    expect(await Promise.all([a, b, busy].map(({ id }) => api().getTask({ params: { taskId: id } })))).toEqual(before)
  })

  test('[BO133] taking a task back stops its run and moves the task to the backlog, where nothing starts it', async () => {
    const { teamId, agentId } = await makeTeam(server())
    const { id: taskId } = await make(teamId, 'Stop me', { assignee: { kind: 'agent', id: agentId } })
    const attempt = await claimTask(server(), taskId, agentId)
    const { task, stopped } = await api().takeBackTask({ params: { taskId } })
    expect(task).toMatchObject({ status: 'backlog', attemptId: null, reason: null })
    expect(stopped).toBe(true)
    expect(server().stopped).toContain(taskId)
    expect(await server().claims.renew(attempt)).toBe(false)
    const ended = { outcome: 'completed', reason: null, costUsd: null, at: Date.now() } as const
    const report = { attemptId: attempt.id, attempt: attempt.number, ...ended }
    expect(await server().reports.submit(report)).toMatchObject({ verdict: 'stale' })
    const detail = await api().getTask({ params: { taskId } })
    expect(detail.task.status).toBe('backlog')
    await expect(api().takeBackTask({ params: { taskId } })).rejects.toMatchObject({ code: 'illegal_transition' })
  })

  test('[AP12] responses about a board match the operation’s own schema, strictly', async () => {
    const { teamId, agentId } = await makeTeam(server())
    const assignee = { kind: 'agent', id: agentId } as const
    const created = await make(teamId, 'A', { assignee, body: 'Whole' })
    const other = await make(teamId, 'B')
    const params = { taskId: created.id, teamId, status: 'todo' as const, blockerId: other.id }
    const linked = await api().linkTask({ params, body: { blockerId: other.id } })
    const waiting = await api().getTask({ params })
    const unlinked = await api().unlinkTask({ params })
    const commented = await api().commentTask({ params, body: { body: 'Hm' } })
    const attempt = await claimTask(server(), created.id, agentId)
    const sha256 = 'a'.repeat(64)
    await server().tasks.addEvidence(created.id, { kind: 'artefact', sha256, path: 'out.txt' }, attempt.id)
    const answers: Partial<Record<OperationId, unknown>> = {
      createTask: created,
      linkTask: linked,
      unlinkTask: unlinked,
      commentTask: commented,
      readBoard: await api().readBoard({ params }),
      takeBackTask: await api().takeBackTask({ params }),
      updateTask: await api().updateTask({ params, body: { priority: 'urgent' } }),
      moveTask: await api().moveTask({ params, body: { to: 'todo' } }),
      overrideTask: await api().overrideTask({ params, body: { reason: 'I saw it' } }),
      signOffTask: await api().signOffTask({ params }),
      readBoardColumn: await api().readBoardColumn({ params }),
      readTaskDiff: await api().readTaskDiff({ params }),
      cleanUpTask: await api().cleanUpTask({ params }),
      getTask: await api().getTask({ params }),
    }
    expect(waiting).toMatchObject({ wait: { code: 'not_ready' }, lack: { code: 'evidence_missing' } })
    expect(answers.getTask).toMatchObject({ task: { status: 'done' }, lack: null, overrides: [{ reason: 'I saw it' }] })
    for (const [id, answer] of [...Object.entries(answers), ['getTask', waiting] as const]) {
      const schema = (OPERATIONS[id as OperationId] as Operation).response!
      expect({ id, result: schema.safeParse(answer) }).toMatchObject({ id, result: { success: true, data: answer } })
    }
  })
})
