import type { AttemptReport, BoardTask } from '@clawboo/core/board'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import { lastPlace } from '../repositories/board/tasks-repository.ts'
import { raw, sql } from '../sql.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export const newTask = (id: string, overrides: Partial<BoardTask> = {}): BoardTask => ({
  id,
  teamId: 'team',
  title: `Title of ${id}`,
  body: 'Body',
  status: 'todo',
  priority: 'normal',
  assignee: { kind: 'agent', id: 'ada' },
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
  position: lastPlace(100),
  attendedAt: null,
  createdAt: 100,
  updatedAt: 100,
  startedAt: null,
  endedAt: null,
  ...overrides,
})

/** The repositories of the board, without the rules of the board. */
export function describeBoard(createDatabase: CreateDatabase): void {
  describe('board', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      await subject.store.db.run(sql`DELETE FROM teams`)
      await subject.store.teams.insert({ id: 'team', name: 'Team', createdAt: 1 })
    })
    describeTasks(subject)
    describeColumns(subject)
    describeIndexes(subject)
    describeClaims(subject)
    describeEndings(subject)
  })
}

type Subject = ReturnType<typeof useStore>
const ada = { kind: 'agent', id: 'ada' } as const
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

function describeTasks(subject: Subject): void {
  it('[BO92] a task reads back as it was written, and saving it writes everything except the counts', async () => {
    const { tasks } = subject.store
    const whole = newTask('t1', {
      status: 'cancelled',
      priority: 'urgent',
      source: { kind: 'agent', id: 'ada', runId: 'r1', postId: 'p1' },
      changesFiles: true,
      costUsd: 0.1,
      changedAt: 5,
      failedAt: 6,
      cancelledWith: { blockerId: 'b', status: 'blocked', reason: 'It “is” so.' },
      reason: 'Because.',
      parentId: 'above',
      depth: 1,
      attendedAt: 7,
      startedAt: 8,
      endedAt: 9,
    })
    expect(await tasks.insert(whole)).toEqual(whole)
    expect(await tasks.get('t1')).toEqual(whole)
    const saved = await tasks.save({ ...newTask('t1', { title: 'Other', assignee: null }), openBlockers: 9 })
    expect(saved).toEqual({ ...newTask('t1', { title: 'Other', assignee: null }), source: whole.source })
    expect(await tasks.get('none')).toBeNull()
    expect(ids(await tasks.getMany(['t1', 'none', 't1']))).toEqual(['t1'])
    expect(await tasks.getMany([])).toEqual([])
  })

  it('[BO92] the counts of children and of a run’s tasks include every open task', async () => {
    const { tasks } = subject.store
    for (const [n, status] of (['todo', 'blocked', 'done', 'cancelled'] as const).entries())
      await tasks.insert(newTask(`c${n}`, { status, parentId: 'p', source: made('r1') }))
    expect(await tasks.countLiveChildren('p')).toBe(2)
    expect(await tasks.countMadeByRun('r1')).toBe(4)
    expect(ids(await tasks.children(['p', 'q']))).toEqual(['c0', 'c1', 'c2', 'c3'])
  })
}

function describeColumns(subject: Subject): void {
  it('[BO69] open blockers are counted from the links, and only tasks with a changed count are returned', async () => {
    const { tasks, taskLinks } = subject.store
    for (const id of ['a', 'b', 'c']) await tasks.insert(newTask(id, id === 'a' ? { status: 'done' } : {}))
    expect(await taskLinks.insert({ blockerId: 'a', blockedId: 'c' }, 1)).toBe(true)
    expect(await tasks.recountBlockers(['c'])).toEqual([])
    expect(await taskLinks.insert({ blockerId: 'b', blockedId: 'c' }, 2)).toBe(true)
    expect(await taskLinks.insert({ blockerId: 'b', blockedId: 'c' }, 3)).toBe(false)
    expect(await tasks.recountBlockers(['c', 'a'])).toMatchObject([{ id: 'c', openBlockers: 1 }])
    expect((await taskLinks.blockersOf(['c', 'a'])).get('c')).toMatchObject([{ id: 'a' }, { id: 'b' }])
    expect((await taskLinks.blockersOf(['a'])).get('a')).toEqual([])
    expect(await taskLinks.into(['c'])).toHaveLength(2)
    expect(await taskLinks.from(['b', 'b'])).toEqual([{ blockerId: 'b', blockedId: 'c' }])
    expect(await taskLinks.remove({ blockerId: 'b', blockedId: 'c' })).toBe(true)
    expect(await taskLinks.remove({ blockerId: 'b', blockedId: 'c' })).toBe(false)
    await expect(taskLinks.insert({ blockerId: 'none', blockedId: 'c' }, 1)).rejects.toMatchObject({
      kind: 'foreign-key',
    })
  })

  it('[BO84] a column keeps its order and its last position when its tasks are spaced out', async () => {
    const { tasks } = subject.store
    for (const [n, id] of ['c', 'a', 'b'].entries()) await tasks.insert(newTask(id, { position: 100_000 + n }))
    await tasks.insert(newTask('else', { status: 'done', position: 100_001 }))
    await tasks.spreadColumn('team', 'todo')
    const column = await tasks.column('team', 'todo', { limit: 9 })
    expect(column.map(({ id, position }) => `${id} ${position}`)).toEqual(['c 97954', 'a 98978', 'b 100002'])
    expect(await tasks.placeBefore('team', 'todo', column[1]!)).toBe(97_954)
    expect(await tasks.placeBefore('team', 'todo', column[0]!)).toBeNull()
    expect((await tasks.get('else'))?.position).toBe(100_001)
  })
}

const ASKED_OFTEN = [
  "SELECT id FROM tasks WHERE status = 'todo' ORDER BY priority DESC, created_at, id LIMIT 9",
  "SELECT id FROM tasks WHERE status = 'todo' AND team_id = 't' ORDER BY priority DESC, created_at, id LIMIT 9",
  "SELECT title FROM tasks WHERE team_id = 't' AND status = 'done' AND (position, id) > (3, 'a') ORDER BY position, id",
  "SELECT id FROM attempts WHERE state = 'running' AND lease_until <= now_ms() ORDER BY lease_until, id LIMIT 9",
  'SELECT attempt_id FROM task_reports WHERE applied_at IS NULL ORDER BY created_at, attempt_id LIMIT 9',
  "SELECT count(*) FROM tasks WHERE parent_id = 'p' AND status NOT IN ('done', 'cancelled')",
]

function describeIndexes(subject: Subject): void {
  it('[BO94] no frequent query reads every row or sorts a whole board', async () => {
    const { db } = subject.store
    // PostgreSQL chooses a plan by the number of rows, so the plan for a small table proves nothing.
    if (db.engine === 'postgres') return
    for (const query of ASKED_OFTEN) {
      const plan = await db.all<{ detail: string }>(raw(`EXPLAIN QUERY PLAN ${query}`))
      const text = plan.map(({ detail }) => detail).join('; ')
      expect(text).toMatch(/USING (?:COVERING )?INDEX/)
      expect(text).not.toMatch(/TEMP B-TREE FOR ORDER BY/)
    }
  })
}

function describeClaims(subject: Subject): void {
  const claim = (id: string, expects: typeof ada | null = ada) =>
    subject.store.tasks.claim({ taskId: id, attemptId: `x-${id}`, expects, by: ada, at: 200 })

  it('[BO61] a claim is lost when any one of its conditions fails', async () => {
    const { tasks, db } = subject.store
    await tasks.insert(newTask('free', { changedAt: 150, reason: null }))
    await tasks.insert(newTask('later', { changedAt: 900, assignee: null }))
    await tasks.insert(newTask('waits', { openBlockers: 1 }))
    await tasks.insert(newTask('held', { attemptId: 'x' }))
    await tasks.insert(newTask('reported'))
    await tasks.addUnreadReports('reported', 1)
    await tasks.insert(newTask('hers', { assignee: { kind: 'person', id: 'ada' } }))
    await tasks.insert(newTask('nobodys', { assignee: null }))
    await tasks.insert(newTask('idea', { status: 'backlog' }))
    for (const id of ['waits', 'held', 'reported', 'hers', 'nobodys', 'idea', 'none'])
      expect({ id, claimed: await claim(id) }).toEqual({ id, claimed: null })
    expect(await claim('free', null)).toBeNull()
    expect(await claim('free')).toMatchObject({
      status: 'in_progress',
      attempts: 1,
      attemptId: 'x-free',
      changedAt: 200,
    })
    expect(await claim('free')).toBeNull()
    expect(await claim('later', null)).toMatchObject({ assignee: ada, changedAt: 900 })
    await tasks.addUnreadReports('reported', -1)
    expect(await claim('reported')).not.toBeNull()
    const rows = await db.all<{ id: string }>(sql`SELECT id FROM tasks WHERE status = 'in_progress' ORDER BY id`)
    expect(ids(rows)).toEqual(['free', 'later', 'reported'])
  })

  it('[BO61] a claim that waits for a new link sees the link, whichever started first', async () => {
    const other = await openStore(subject.options)
    await subject.store.tasks.insert(newTask('blocker'))
    await subject.store.tasks.insert(newTask('t1'))
    let waiting: Promise<unknown> = Promise.resolve()
    await subject.store.transaction(async (tx) => {
      await tx.tasks.lock(['t1'])
      await tx.taskLinks.insert({ blockerId: 'blocker', blockedId: 't1' }, 1)
      await tx.tasks.recountBlockers(['t1'])
      waiting = other.tasks.claim({ taskId: 't1', attemptId: 'x', expects: ada, by: ada, at: 200 })
      // Long enough to send the statement, which then waits for the row.
      for (let n = 0; n < 20; n++) await tx.tasks.get('t1')
    })
    expect(await waiting).toBeNull()
    await other.close()
  })
}

/** Claims a new task for an attempt that is running. */
async function startAttempt(subject: Subject, id: string): Promise<void> {
  const { tasks, attempts } = subject.store
  await tasks.insert(newTask(id, { status: 'in_progress', attempts: 1, attemptId: `x-${id}` }))
  await attempts.insert({
    id: `x-${id}`,
    taskId: id,
    number: 1,
    agentId: 'ada',
    runtime: 'runtime-a',
    owner: 'home-1',
    leaseMs: 60_000,
    startedAt: 200,
  })
}

function describeEndings(subject: Subject): void {
  it('[BO64] only a running attempt with an expired lease is lost, and only its own task is freed', async () => {
    const { db, attempts, tasks } = subject.store
    await startAttempt(subject, 't1')
    await startAttempt(subject, 't2')
    expect(await attempts.lose('x-t1', 300)).toBeNull()
    await db.run(sql`UPDATE attempts SET lease_until = now_ms() - 1 WHERE id = 'x-t1'`)
    expect(await attempts.runOut(9)).toEqual(['x-t1'])
    expect(await attempts.lose('x-t1', 300)).toMatchObject({ state: 'lost', lostAt: 300, endedAt: 300 })
    expect(await attempts.lose('x-t1', 400)).toBeNull()
    expect(await tasks.free('t2', 'x-t1', 300)).toBeNull()
    expect(await tasks.free('t1', 'x-t1', 300)).toMatchObject({ status: 'todo', attemptId: null })
    expect(await tasks.free('t1', 'x-t1', 300)).toBeNull()
    expect(ids(await attempts.underWay())).toEqual(['x-t2'])
    expect(ids(await attempts.withdraw('t2', 500))).toEqual(['x-t2'])
    expect(await attempts.withdraw('t2', 500)).toEqual([])
    expect(await attempts.get('x-t2')).toMatchObject({ state: 'lost', lostAt: null, endedAt: 500 })
  })

  it('[BO65] an attempt has one report, which is unread until it is marked as applied, and is marked only once', async () => {
    const { attempts, taskReports } = subject.store
    await startAttempt(subject, 't1')
    const report: AttemptReport = {
      attemptId: 'x-t1',
      attempt: 1,
      outcome: 'completed',
      reason: null,
      costUsd: 0.2,
      at: 300,
    }
    expect(await taskReports.insert('t1', report, 301)).toBe(true)
    expect(await taskReports.insert('t1', { ...report, outcome: 'failed' }, 302)).toBe(false)
    expect(await taskReports.unread(9)).toEqual(['x-t1'])
    expect(await taskReports.markApplied('x-t1', { verdict: 'accepted' }, 303)).toBe(true)
    expect(await taskReports.markApplied('x-t1', { verdict: 'repeated' }, 304)).toBe(false)
    expect(await taskReports.unread(9)).toEqual([])
    expect(await taskReports.get('x-t1')).toEqual({
      taskId: 't1',
      report,
      createdAt: 301,
      appliedAt: 303,
      verdict: { verdict: 'accepted' },
    })
    await attempts.report('x-t1', report)
    expect(await attempts.get('x-t1')).toMatchObject({ state: 'completed', costUsd: 0.2, report, endedAt: 300 })
    expect(await taskReports.get('none')).toBeNull()
  })
}

function made(runId: string): BoardTask['source'] {
  return { kind: 'agent', id: 'ada', runId, postId: null }
}
