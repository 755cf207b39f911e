import { describe, expect, it } from 'vitest'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import { sql } from '../../store/sql.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { makeTeam, OPERATOR, startServer, testRuntime } from './test-dispatch.ts'

const HELD = [{ callTool: 'held' }, { say: 'Now it is done.' }] as const

describe('An attempt at a task', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  it('[DI20] finished work is not repeated because its cost could not be read', async () => {
    const [one] = records()
    const team = await makeTeam(one!)
    let isDone = false
    const runs: Store['runs'] = {
      ...one!.store.runs,
      appendEntries: async (id, entries) => {
        isDone ||= entries.some(({ type }) => type === 'done')
        return one!.store.runs.appendEntries(id, entries)
      },
      get: async (id) => {
        if (isDone) throw new Error('the database is away')
        return one!.store.runs.get(id)
      },
    }
    const store: Store = Object.assign(Object.create(one!.store), { runs })
    const server = await startServer({ ...one!, store }, { runtimesOf: [testRuntime()] })
    const { id } = await team.make(server, [{ say: 'It is done.' }])
    await team.until(id, 'in_review')
    const attempts = await team.attempts(id)
    expect(attempts.map(({ number, state, reason }) => [number, state, reason])).toEqual([[1, 'completed', null]])
  })

  it('[CV60] a run’s end that could not be stored is stored as soon as the database is back', async () => {
    const [one] = records()
    const team = await makeTeam(one!)
    let failures = 0
    const runs: Store['runs'] = {
      ...one!.store.runs,
      appendEntries: async (id, entries) => {
        if (entries.some(({ type }) => type === 'done')) failures = 1
        return one!.store.runs.appendEntries(id, entries)
      },
    }
    const record: RecordChange = async (about, change) => {
      if (failures === 0 || about.action !== null) return one!.record(about, change)
      failures -= 1
      throw new Error('the database is away')
    }
    const store: Store = Object.assign(Object.create(one!.store), { runs })
    const server = await startServer({ ...one!, store, record }, { runtimesOf: [testRuntime()] })
    const { id } = await team.make(server, [{ say: 'It is done.' }])
    await team.until(id, 'in_review')
    const [attempt] = await team.attempts(id)
    const state = async () => (await one!.store.runs.get(attempt!.runId!))?.state
    await expect.poll(state).toBe('ended')
    expect((await one!.store.agents.get(team.agentId))?.status).toBe('idle')
  })

  it('[DI10] each attempt has its own run, and the next one continues the same conversation', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [{ say: 'It is blue.' }])
    await team.until(id, 'in_review')
    await server.tasks.comment(id, { body: 'Green, please.', file: 'moss.txt', line: 3 }, OPERATOR)
    await server.tasks.move(id, { to: 'todo' }, OPERATOR)
    await team.when(async () => (await team.attempts(id)).length === 2)
    await team.until(id, 'in_review')
    const attempts = await team.attempts(id)
    expect(attempts.map(({ number, state }) => [number, state])).toEqual([
      [1, 'completed'],
      [2, 'completed'],
    ])
    const runs = await Promise.all(attempts.map(({ runId }) => store().runs.get(runId!)))
    for (const run of runs)
      expect(run).toMatchObject({
        state: 'ended',
        trigger: 'task',
        outcome: 'completed',
        sessionKey: `agent:${team.agentId}:task:${id}`,
      })
    expect(runs[0]!.id).not.toBe(runs[1]!.id)
    const [first, second] = runtime.started
    expect(first!.options.resume).toBeNull()
    expect(second!.options.resume).not.toBeNull()
    expect(second!.prompt).toContain('It is blue.')
    expect(second!.prompt).toContain('file: moss.txt\nline: 3\nGreen, please.')
  })

  it('[DI16] a lost lease ends the run', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime], renewMs: 10, pollMs: 60_000 })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    // As if another server had claimed the task after the lease expired.
    await store().db.run(sql`UPDATE attempts SET owner_instance = 'other' WHERE task_id = ${id}`)
    await team.when(async () => (await store().runs.get(runtime.started[0]!.options.runId))?.state === 'ended')
    expect(await store().runs.get(runtime.started[0]!.options.runId)).toMatchObject({ outcome: 'aborted' })
  })

  it('[DI16] a person who moves a running task ends its run at once', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    await server.tasks.move(id, { to: 'cancelled' }, OPERATOR)
    await team.when(async () => (await store().runs.get(runtime.started[0]!.options.runId))?.state === 'ended')
    expect(await team.get(id)).toMatchObject({ status: 'cancelled' })
  })

  it('[DI20] a run that fails for good fails its task, with the reason', async () => {
    const team = await makeTeam(records()[0]!)
    const server = await startServer(records()[0]!)
    const { id } = await team.make(server, [{ failFatally: 'no such key' }])
    expect(await team.until(id, 'blocked')).toMatchObject({ reason: 'no such key', failedAt: expect.any(Number) })
  })

  it('[DI20] a run that cannot start is tried again, and after three attempts the task waits for a person', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime(undefined, () => Promise.reject(new Error('no memory left')))
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server)
    await team.when(async () => (await server.dispatcher.queue(team.teamId))[0]?.code === 'fruitless')
    expect(await team.get(id)).toMatchObject({ status: 'todo', attempts: 3 })
    expect((await team.attempts(id)).at(-1)).toMatchObject({ state: 'released', reason: 'no memory left' })
  })

  it('[DI21] the agent’s own report decides, and takes effect when the run ends', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [...HELD])
    await team.when(async () => (await team.attempts(id))[0]?.runId != null && runtime.started.length === 1)
    const { runId } = runtime.started[0]!.options
    const verdict = { outcome: 'blocked', reason: 'I need a key.', summary: null } as const
    await team.when(() => server.verdicts.note(runId, verdict))
    expect(await team.get(id)).toMatchObject({ status: 'in_progress' })
    runtime.release()
    expect(await team.until(id, 'blocked')).toMatchObject({ reason: 'I need a key.', failedAt: null })
    expect(server.verdicts.note(runId, verdict)).toBe(false)
  })

  it('[DI24] a person answers an approval of a task’s run', async () => {
    const team = await makeTeam(records()[0]!)
    const server = await startServer(records()[0]!)
    const { id } = await team.make(server, [{ askApproval: 'rm moss' }, { say: 'Gone.' }])
    const open = async () =>
      (await server.attention.list({ state: 'open', limit: 9 })).filter((i) => i.agentId === team.agentId)
    await team.when(async () => (await open()).length === 1)
    await server.attention.answer((await open())[0]!.id, 'allow-once')
    await team.until(id, 'in_review')
    const [attempt] = await team.attempts(id)
    const entries = (await store().runs.entries([attempt!.runId!])).get(attempt!.runId!)!
    expect(entries.find(({ type }) => type === 'tool-result')).toMatchObject({ isError: false })
  })

  it('[DI24] a person stops a task’s run, by its id or in its conversation, and the task is blocked', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const started = async (script: Parameters<typeof team.make>[1]) => {
      const before = runtime.started.length
      const { id } = await team.make(server, script)
      await team.when(() => runtime.started.length > before)
      const { runId } = runtime.started.at(-1)!.options
      await team.when(async () => (await server.conversations.read(team.agentId, keyOf(id))).activeRunId === runId)
      return { id, runId }
    }
    const keyOf = (id: string) => ({ sessionKey: `agent:${team.agentId}:task:${id}`, limit: 1 })
    const one = await started([...HELD])
    expect(await server.conversations.stopRun(one.runId)).toEqual({ stopped: one.runId })
    expect(await team.until(one.id, 'blocked')).toMatchObject({ reason: 'A person stopped the run.', failedAt: null })
    const other = await started([...HELD])
    expect(await server.conversations.stop(team.agentId, keyOf(other.id))).toEqual({ stopped: other.runId })
    await team.until(other.id, 'blocked')
  })

  it('[DI25] a stopping server ends its runs and releases their tasks', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    await server.close()
    expect(await team.get(id)).toMatchObject({ status: 'todo', attempts: 1, attemptId: null })
    const [attempt] = await team.attempts(id)
    expect(attempt).toMatchObject({ state: 'released', reason: 'The server stopped.' })
    expect(await store().runs.get(attempt!.runId!)).toMatchObject({ outcome: 'stopped', reason: 'server_stopping' })
  })

  it('[DI26] the run of a task ends before its agent is deleted', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const server = await startServer(records()[0]!, { runtimesOf: [runtime] })
    const { id } = await team.make(server, [...HELD])
    await team.when(() => runtime.started.length === 1)
    const release = await server.conversations.forget(team.agentId)
    expect(await store().runs.get(runtime.started[0]!.options.runId)).toMatchObject({ state: 'ended' })
    await team.until(id, 'todo')
    expect(runtime.started).toHaveLength(1)
    await release()
  })

  it('[DI27] a report that could not be stored is tried again', async () => {
    const team = await makeTeam(records()[0]!)
    const plain = await startServer(records()[0]!)
    await plain.close()
    let failures = 0
    const server = await startServer(records()[0]!, {
      reports: {
        ...plain.reports,
        submit: (report) => (++failures < 3 ? Promise.reject(new Error('locked')) : plain.reports.submit(report)),
      },
    })
    const { id } = await team.make(server)
    await team.until(id, 'in_review')
    expect(failures).toBe(3)
  })

  it('[DI17] an event that arrives twice counts once', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const { adapter } = runtime
    const doubled = {
      ...adapter,
      async *events(run: Parameters<typeof adapter.events>[0]) {
        for await (const event of adapter.events(run)) {
          yield event
          yield event
        }
      },
    }
    const server = await startServer(records()[0]!, { runtimesOf: [{ ...runtime, adapter: doubled }] })
    const { id } = await team.make(server, [{ callTool: 'quick' }, { say: 'Done.' }])
    await team.until(id, 'in_review')
    const [attempt] = await team.attempts(id)
    expect(await store().runs.get(attempt!.runId!)).toMatchObject({ modelCalls: 2, text: 'Done.' })
  })

  it('[DI17] a stream without a last event ends the run as broken, and the task gets another attempt', async () => {
    const team = await makeTeam(records()[0]!)
    const runtime = testRuntime()
    const { adapter } = runtime
    let drops = 1
    const dropping = {
      ...adapter,
      async *events(run: Parameters<typeof adapter.events>[0]) {
        for await (const event of adapter.events(run)) if (event.type !== 'done' || drops-- <= 0) yield event
      },
    }
    const server = await startServer(records()[0]!, { runtimesOf: [{ ...runtime, adapter: dropping }] })
    const { id } = await team.make(server)
    expect(await team.until(id, 'in_review')).toMatchObject({ attempts: 2 })
    expect((await team.attempts(id))[0]).toMatchObject({ state: 'released' })
  })

  it('[DI30] a starting server releases its own earlier attempts and no others', async () => {
    const team = await makeTeam(records()[0]!)
    const idle = await startServer(records()[0]!, { runtimesOf: [] })
    const other = await startServer(records()[0]!, { runtimesOf: [], instance: 'other' })
    const [own, foreign, reported] = [await team.make(idle), await team.make(idle), await team.make(idle)]
    const by = { kind: 'agent', id: team.agentId } as const
    const claim = (server: typeof idle, taskId: string) =>
      server.services.claims.claim({ taskId, expects: by, by, runtime: null })
    await claim(idle, own.id)
    await claim(other, foreign.id)
    await claim(idle, reported.id)
    const [attempt] = await team.attempts(reported.id)
    const report = { attemptId: attempt!.id, attempt: 1, reason: null, costUsd: null, at: 9 }
    await idle.reports.write({ ...report, outcome: 'completed' })
    await startServer(records()[0]!, { runtimesOf: [] })
    expect(await team.get(own.id)).toMatchObject({ status: 'todo' })
    expect((await team.attempts(own.id))[0]).toMatchObject({ state: 'released' })
    expect(await team.get(foreign.id)).toMatchObject({ status: 'in_progress' })
    expect(await team.get(reported.id)).toMatchObject({ status: 'in_review' })
  })
})
