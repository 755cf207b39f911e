import { describe, expect, it } from 'vitest'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { sql } from '../../store/sql.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { readWaitingTasks } from './read-candidates.ts'
import { makeTeam, OPERATOR, startServer, testRuntime } from './test-dispatch.ts'

const HELD = [{ callTool: 'held' }, { say: 'Now it is done.' }] as const

describe('Rounds', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  it('[DI1] many requests during a round become one more round, and rounds never overlap', async () => {
    let [rounds, atOnce, most] = [0, 0, 0]
    const server = await startServer(records()[0]!, { pollMs: 60_000 })
    await server.close()
    const restarted = await startServer(records()[0]!, {
      pollMs: 60_000,
      claims: {
        ...server.services.claims,
        async expire() {
          rounds++
          most = Math.max(most, ++atOnce)
          await new Promise((resolve) => setTimeout(resolve, 20))
          atOnce--
          return []
        },
      },
    })
    while (rounds === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    for (let n = 0; n < 50; n++) restarted.dispatcher.poke()
    while (rounds < 2 || atOnce > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect({ rounds, most }).toEqual({ rounds: 2, most: 1 })
  })

  it('[DI1] an expired attempt of any server is released and run again, and a stored report is applied', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const idle = await startServer(records()[0]!, { instance: 'other', runtimesOf: [] })
    const { claims } = idle.services
    const [lost, reported] = [await team.make(idle), await team.make(idle)]
    const by = { kind: 'agent', id: team.agentId } as const
    for (const { id } of [lost, reported]) await claims.claim({ taskId: id, expects: by, by, runtime: null })
    const [attempt] = await team.attempts(reported.id)
    const report = { attemptId: attempt!.id, attempt: 1, reason: null, costUsd: 1, at: 9 }
    await idle.reports.write({ ...report, outcome: 'completed' })
    await startServer(records()[0]!, { runtimesOf: [runtime], pollMs: 10 })
    await team.until(reported.id, 'in_review')
    expect(await team.get(lost.id)).toMatchObject({ status: 'in_progress', attempts: 1 })
    await store().db.run(sql`UPDATE attempts SET lease_until = now_ms() - 1 WHERE task_id = ${lost.id}`)
    expect(await team.until(lost.id, 'in_review')).toMatchObject({ attempts: 2 })
    expect(runtime.started).toHaveLength(1)
  })

  it('[DI1] a round reads only the tasks that could start, however many others wait before them', async () => {
    const team = await makeTeam(records()[0]!)
    const idle = await startServer(records()[0]!, { instance: 'other', runtimesOf: [] })
    const before = await team.make(idle, undefined, { assignee: null, priority: 'urgent' })
    await team.make(idle, undefined, { assignee: { kind: 'person', id: 'operator' }, priority: 'urgent' })
    await team.make(idle, undefined, { blockerIds: [before.id], priority: 'urgent' })
    const { id } = await team.make(idle, undefined, { priority: 'low' })
    const read = async (notOf?: readonly string[]) =>
      (await store().tasks.toDo({ teamId: team.teamId, limit: 9, ...(notOf ? { notOf } : {}) })).map((task) => task.id)
    expect(await read()).toHaveLength(4)
    expect(await read([])).toEqual([id])
    expect(await read(['somebody-else', team.agentId])).toEqual([])
  })

  it('[DI1] a task starts even after any number of tasks that cannot start', async () => {
    const team = await makeTeam(records()[0]!)
    const idle = await startServer(records()[0]!, { instance: 'other', runtimesOf: [] })
    const { id: first } = await team.make(idle, undefined, { assignee: null, priority: 'urgent' })
    await store().db.run(sql`INSERT INTO tasks (id, team_id, title, body, status, position, priority, depth, source_kind,
        changes_files, attempts, open_blockers, unread_reports, created_at, updated_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2100)
      SELECT id || '-' || n, team_id, title, body, status, position, priority, depth, source_kind, changes_files, attempts,
        open_blockers, unread_reports, created_at, updated_at FROM tasks, numbers WHERE id = ${first}`)
    await startServer(records()[0]!)
    const { id } = await team.make(idle, undefined, { priority: 'low' })
    await team.until(id, 'in_review')
  })

  it('[DI2] an agent of a connected runtime is refused before the claim, because of its capabilities', async () => {
    const runtime = testRuntime({ runtimeClass: 'connected-substrate' }, undefined, 'far')
    const team = await makeTeam(records()[0]!, 'far')
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server)
    await team.when(async () => (await server.dispatcher.queue(team.teamId)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await server.dispatcher.queue(team.teamId)).toMatchObject([{ taskId: id, code: 'runs_elsewhere' }])
    expect(await team.get(id)).toMatchObject({ status: 'todo', attempts: 0 })
    expect(runtime.started).toEqual([])
  })

  it('[DI3] a lost claim starts nothing and leaves the agent free', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const first = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { claims } = first.services
    await first.close()
    let lost = 0
    const server = await startServer(records()[0]!, {
      runtimesOf: [runtime],
      pollMs: 20,
      claims: {
        ...claims,
        async claim() {
          lost++
          return { claimed: false, code: 'task_conflict', reason: 'is in progress' }
        },
      },
    })
    const { id } = await team.make(server)
    await team.when(() => lost > 1)
    expect(await team.get(id)).toMatchObject({ status: 'todo' })
    expect(runtime.started).toEqual([])
    const sent = await server.conversations.send({ agentId: team.agentId, text: 'hello' })
    expect(sent.verdict).toBe('started')
  })

  it('[DI4] every waiting task has a code and a reason', async () => {
    const team = await makeTeam(records()[0]!)
    await store().agents.insert(newAgent(`${team.agentId}-x`, { teamId: team.teamId, runtime: 'nowhere' }))
    const server = await startServer(records()[0]!)
    const first = await team.make(server, [...HELD])
    await team.until(first.id, 'in_progress')
    const second = await team.make(server, [...HELD])
    const waiting = await team.make(server, undefined, { blockerIds: [second.id] })
    const nobodys = await team.make(server, undefined, { assignee: null })
    const lost = await team.make(server, undefined, { assignee: { kind: 'agent', id: `${team.agentId}-x` } })
    const persons = await team.make(server, undefined, { assignee: { kind: 'person', id: 'operator' } })
    const waits = await server.dispatcher.queue(team.teamId)
    expect(waits.map(({ taskId, code }) => [taskId, code])).toEqual([
      [second.id, 'agent_busy'],
      [waiting.id, 'not_ready'],
      [nobodys.id, 'unassigned'],
      [persons.id, 'waits_for_person'],
      [lost.id, 'waits_for_person'],
    ])
    expect(waits.at(-1)!.reason).toEqual(expect.stringContaining('which has no runtime here'))
    for (const { reason } of waits) expect(reason.length).toBeGreaterThan(5)
  })

  it('[DI4] the reason names an assignee who is deleted or archived', async () => {
    const team = await makeTeam(records()[0]!)
    const server = await startServer(records()[0]!)
    const reasons: string[] = []
    for (const name of ['Kim', 'Robin', 'Ada']) {
      const id = `${name}-of-${team.teamId}`
      await store().agents.insert(
        newAgent(id, { teamId: team.teamId, name, participantKind: 'human', runtime: 'human' }),
      )
      const task = await team.make(server, undefined, { assignee: { kind: 'person', id } })
      if (name === 'Robin') await store().agents.update('source-a', id, { archivedAt: 5, updatedAt: 5 })
      if (name === 'Ada') await store().agents.remove('source-a', id)
      const [wait] = (await server.dispatcher.queue(team.teamId)).filter(({ taskId }) => taskId === task.id)
      expect(wait!.code).toBe('waits_for_person')
      reasons.push(wait!.reason)
    }
    expect(reasons).toEqual([
      'waits for Kim',
      'is assigned to Robin, who is archived; assign it to someone else',
      'is assigned to a person who was deleted; assign it to someone else',
    ])
  })

  it('[DI5] a task and a conversation of one agent wait for each other, and a message goes before a task', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    await server.conversations.change(team.agentId, { debounceMs: 0 })
    const first = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    const sent = await server.conversations.send({ agentId: team.agentId, text: 'hello' })
    expect(sent.verdict).toBe('queued')
    const second = await team.make(server, [{ say: 'Also done.' }])
    runtime.release()
    await team.until(second.id, 'in_review')
    expect(await team.get(first.id)).toMatchObject({ status: 'in_review' })
    expect(runtime.started.map(({ prompt }) => prompt.includes('hello'))).toEqual([false, true, false])
  })

  it('[DI6] a message to the conversation of a running task waits for the end of the run', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    const sessionKey = `agent:${team.agentId}:task:${id}`
    const sent = await server.conversations.send({ agentId: team.agentId, sessionKey, text: 'and tests' })
    expect(sent).toMatchObject({ verdict: 'queued', runId: null })
    const reading = await server.conversations.read(team.agentId, { sessionKey, limit: 5 })
    expect(reading.activeRunId).toBe(runtime.started[0]!.options.runId)
    await expect(server.conversations.reset(team.agentId, sessionKey)).rejects.toMatchObject({ code: 'agent_busy' })
    runtime.release()
    await team.when(async () => (await store().messages.get(sent.message.id))?.state === 'delivered')
    expect(await team.get(id)).toMatchObject({ status: 'in_review' })
    expect((await store().messages.get(sent.message.id))!.runId).not.toBe(runtime.started[0]!.options.runId)
  })

  it('[DI23] a task that was taken back is in To do and starts only after a change', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime], pollMs: 10 })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    expect(await server.dispatcher.stopTask(id)).toBe(true)
    expect(await server.dispatcher.stopTask(id)).toBe(false)
    expect(await team.get(id)).toMatchObject({ status: 'todo', attempts: 1 })
    expect((await team.attempts(id))[0]).toMatchObject({ state: 'released', reason: 'A person took it back.' })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await server.dispatcher.queue(team.teamId)).toMatchObject([{ taskId: id, code: 'waits_for_person' }])
    expect(runtime.started).toHaveLength(1)
    await server.tasks.comment(id, { body: 'Go on.' }, OPERATOR)
    await team.when(() => runtime.started.length === 2)
    expect(runtime.started[1]!.prompt).toContain('Go on.')
  })

  it('[DI28] a server stop or a take-back does not count as a fruitless attempt', async () => {
    const team = await makeTeam(records()[0]!)
    const fruitless = async () =>
      (await readWaitingTasks(store(), { teamId: team.teamId, limit: 9 }))[0]!.fruitlessAttempts
    const first = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [first] })
    const { id } = await team.make(server, [...HELD])
    for (let n = 1; n < 4; n++) {
      await team.when(() => first.started.length === n)
      await server.dispatcher.stopTask(id)
      expect(await fruitless()).toBe(0)
      if (n < 3) await server.tasks.comment(id, { body: 'Go on.' }, OPERATOR)
    }
    await server.close()
    for (let n = 0; n < 4; n++) {
      const runtime = testRuntime()
      const next = await startServer(records()[0]!, { runtimesOf: [runtime] })
      await team.when(() => runtime.started.length === 1)
      await next.close()
      expect(await fruitless()).toBe(0)
    }
    expect((await team.attempts(id)).map(({ state }) => state)).toEqual(Array(7).fill('released'))
  })

  it('[DI28] an attempt that ended with its server counts as fruitless', async () => {
    const team = await makeTeam(records()[0]!)
    const server = await startServer(records()[0]!, { runtimesOf: [] })
    const { id } = await team.make(server)
    const by = { kind: 'agent', id: team.agentId } as const
    for (let n = 1; n < 4; n++) {
      await server.services.claims.claim({ taskId: id, expects: by, by, runtime: null })
      await startServer(records()[0]!, { runtimesOf: [] })
      const [waiting] = await readWaitingTasks(store(), { teamId: team.teamId, limit: 9 })
      expect(waiting!.fruitlessAttempts).toBe(n)
    }
  })
})
