import { describe, expect, it } from 'vitest'
import { testEngines } from '../store/test-stores.ts'
import { OPERATOR, useBoards } from './test-board.ts'

describe.each(testEngines())('reports on $engine', ({ createDatabase }) => {
  const open = useBoards(createDatabase)

  it('[BO65] the next server that reads the stored reports applies them; until then the task cannot be claimed', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    await board.runOut(attempt.id)
    await board.claims.expire()
    expect(await board.reports.write(board.report(attempt, 'completed', { costUsd: 0.25 }))).toBeNull()
    const by = { kind: 'agent', id: board.agentId } as const
    expect(await board.claims.claim({ taskId: id, expects: by, by, runtime: null })).toMatchObject({ claimed: false })
    expect(await board.reports.applyUnread()).toBe(1)
    expect(await board.get(id)).toMatchObject({ status: 'in_review', costUsd: 0.25 })
    expect(await board.reports.applyUnread()).toBe(0)
    expect((await board.records.store.taskReports.get(attempt.id))?.verdict).toEqual({ verdict: 'accepted' })
  })

  it('[BO66] repeated, different and late reports do not move the task, but their cost is stored', async () => {
    const board = await open()
    const { id } = await board.make()
    const first = await board.claim(id)
    await board.runOut(first.id)
    await board.claims.expire()
    const second = await board.claim(id)
    const late = board.report(first, 'completed', { costUsd: 1 })
    expect(await board.reports.submit(late)).toMatchObject({ verdict: 'stale', code: 'superseded' })
    expect(await board.get(id)).toMatchObject({ status: 'in_progress', attemptId: second.id, costUsd: 1 })
    const report = board.report(second, 'completed', { costUsd: 2 })
    expect(await board.reports.submit(report)).toEqual({ verdict: 'accepted' })
    expect(await board.get(id)).toMatchObject({ status: 'in_review', attemptId: null, costUsd: 3 })
    expect(await board.reports.submit(report)).toEqual({ verdict: 'repeated' })
    expect(await board.reports.submit({ ...report, outcome: 'failed' })).toMatchObject({ code: 'already_reported' })
    expect(await board.reports.submit({ ...report, attemptId: 'none' })).toMatchObject({ code: 'unknown_attempt' })
    expect(await board.reports.submit({ ...report, attempt: 7 })).toMatchObject({ code: 'other_attempt' })
    expect(await board.reports.submit({ ...late, at: Number.NaN })).toMatchObject({ code: 'malformed' })
    expect(await board.get(id)).toMatchObject({ status: 'in_review', costUsd: 3 })
  })

  it('[BO66] applies the same report from many senders once', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    const report = board.report(attempt, 'blocked', { reason: 'Which colour?' })
    await Promise.all(Array.from({ length: 8 }, () => board.reports.submit(report)))
    expect(await board.get(id)).toMatchObject({ status: 'blocked', reason: 'Which colour?', failedAt: null })
    expect(board.lines.filter(({ action }) => action === 'task.report')).toHaveLength(1)
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    expect((await board.claim(id)).number).toBe(2)
  })

  it('[BO67] an expired lease with an unread report applies the report, and nothing is lost', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    await board.reports.write(board.report(attempt, 'completed'))
    await board.runOut(attempt.id)
    expect(await board.claims.expire()).toEqual([])
    expect(await board.get(id)).toMatchObject({ status: 'in_review' })
    expect(await board.records.store.attempts.get(attempt.id)).toMatchObject({ state: 'completed', lostAt: null })
  })

  it('[BO38] a released task returns to To do; a failed task stays blocked', async () => {
    const board = await open()
    const { id } = await board.make()
    await board.reports.submit(board.report(await board.claim(id), 'released'))
    expect(await board.get(id)).toMatchObject({ status: 'todo', attemptId: null })
    const report = board.report(await board.claim(id), 'failed', { reason: `no\0 ${'x'.repeat(5000)}` })
    await board.reports.submit(report)
    const failed = await board.get(id)
    expect(failed).toMatchObject({ status: 'blocked', failedAt: report.at })
    expect(failed.reason).toHaveLength(2000)
  })
})
