import { describe, expect, it } from 'vitest'
import { raw } from '../store/sql.ts'
import { testEngines } from '../store/test-stores.ts'
import { OPERATOR, useBoards } from './test-board.ts'

describe.each(testEngines())('claims on $engine', ({ createDatabase }) => {
  const open = useBoards(createDatabase)

  it('[BO60] exactly one of many claimers gets the task, and every other one gets the reason', async () => {
    const board = await open()
    const { id } = await board.make()
    const by = { kind: 'agent', id: board.agentId } as const
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => board.claims.claim({ taskId: id, expects: by, by, runtime: null })),
    )
    expect(outcomes.filter(({ claimed }) => claimed)).toHaveLength(1)
    expect(outcomes.find(({ claimed }) => !claimed)).toEqual({
      claimed: false,
      code: 'task_conflict',
      reason: 'is in progress',
    })
    expect(await board.records.store.attempts.ofTasks([id])).toHaveLength(1)
    await expect(board.claims.claim({ taskId: 'none', expects: null, by, runtime: null })).rejects.toMatchObject({
      code: 'task_not_found',
    })
  })

  it('[BO61] refuses to claim a task that is not in To do, waits for another task or is assigned to someone else', async () => {
    const board = await open()
    const by = { kind: 'agent', id: board.agentId } as const
    const tryIt = async (taskId: string, expects: { kind: 'agent' | 'person'; id: string } | null = by) => {
      const outcome = await board.claims.claim({ taskId, expects, by, runtime: null })
      return outcome.claimed ? 'claimed' : outcome.reason
    }
    const first = await board.make()
    const waiting = await board.make({ title: 'Print', blockerIds: [first.id] })
    expect(await tryIt(waiting.id)).toBe('waits for “Draft”')
    expect(await tryIt((await board.make({ status: 'backlog' })).id)).toBe('is in the backlog')
    const other = await board.make()
    await board.tasks.patch(other.id, { assignee: { kind: 'agent', id: `${board.agentId}-b` } }, OPERATOR)
    expect(await tryIt(other.id)).toBe('is assigned to someone else, or has a report that is not yet processed')
    await board.tasks.override(first.id, 'It is fine.', OPERATOR)
    expect(await tryIt(waiting.id)).toBe('claimed')
    const nobodys = await board.make({ assignee: null })
    expect(await tryIt(nobodys.id, null)).toBe('claimed')
    expect((await board.get(nobodys.id)).assignee).toEqual(by)
  })

  it('[BO62] a claim creates the attempt with its number, its owner and a lease of 30 s', async () => {
    const board = await open()
    const { id } = await board.make()
    const before = await board.records.store.db.get<{ now: number }>(NOW)
    const attempt = await board.claim(id)
    const after = await board.records.store.db.get<{ now: number }>(NOW)
    const task = await board.get(id)
    expect(task).toMatchObject({ status: 'in_progress', attempts: 1, attemptId: attempt.id })
    expect(task.startedAt).toBe(attempt.startedAt)
    expect(attempt).toMatchObject({ taskId: id, number: 1, agentId: board.agentId, state: 'running', report: null })
    expect(attempt.leaseUntil).toBeGreaterThanOrEqual(before!.now + 30_000)
    expect(attempt.leaseUntil).toBeLessThanOrEqual(after!.now + 30_000)
    const noted = await board.claims.note(attempt.id, {
      runId: 'r1',
      worktree: { path: '/w', branch: 'b', base: 'c' },
    })
    expect(noted).toMatchObject({ runId: 'r1', worktree: { path: '/w', branch: 'b', base: 'c' } })
  })

  it('[BO63] only its own server renews an attempt, by its number and while it is active', async () => {
    const board = await open()
    const attempt = await board.claim((await board.make()).id)
    const { store } = board.records
    await board.runOut(attempt.id)
    expect(await board.claims.renew(attempt)).toBe(true)
    expect(await store.attempts.runOut(10)).not.toContain(attempt.id)
    expect(await board.claims.renew({ id: attempt.id, number: 2 })).toBe(false)
    expect(await store.attempts.renew({ ...attempt, owner: 'home-2', leaseMs: 9 })).toBe(false)
    await board.reports.submit(board.report(attempt, 'completed'))
    expect(await board.claims.renew(attempt)).toBe(false)
  })

  it('[BO64] an expired lease ends the attempt and frees the task; a valid lease does neither', async () => {
    const board = await open()
    const [late, fresh] = [await board.make(), await board.make()]
    const attempt = await board.claim(late.id)
    await board.claim(fresh.id)
    await board.runOut(attempt.id)
    const [lost, ...more] = await board.claims.expire()
    expect(lost).toMatchObject({ id: attempt.id, state: 'lost' })
    expect(lost?.lostAt).not.toBeNull()
    expect(more).toEqual([])
    expect(await board.get(late.id)).toMatchObject({ status: 'todo', attemptId: null, attempts: 1 })
    expect(await board.get(fresh.id)).toMatchObject({ status: 'in_progress' })
    expect(await board.claims.expire()).toEqual([])
    expect((await board.claim(late.id)).number).toBe(2)
  })

  it('[BO75] a person who moves a task back withdraws the claim: its attempt is lost and its report is stale', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    expect(await board.claims.renew(attempt)).toBe(false)
    expect(await board.records.store.attempts.get(attempt.id)).toMatchObject({ state: 'lost', lostAt: null })
    const verdict = await board.reports.submit(board.report(attempt, 'completed', { costUsd: 0.5 }))
    expect(verdict).toMatchObject({ verdict: 'stale', code: 'task_moved_on', kept: true })
    expect(await board.get(id)).toMatchObject({ status: 'todo', attemptId: null, costUsd: 0.5 })
    const second = await board.claim(id)
    await board.tasks.move(id, { to: 'cancelled' }, OPERATOR)
    expect(await board.records.store.attempts.get(second.id)).toMatchObject({ state: 'lost' })
  })
})

const NOW = raw('SELECT now_ms() AS now')
