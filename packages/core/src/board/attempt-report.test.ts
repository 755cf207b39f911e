import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ATTEMPT_OUTCOMES, type Attempt, type AttemptReport, LEASE_MS } from './attempt.ts'
import { type AttemptBoard, applyAttemptReport, judgeReport } from './attempt-report.ts'
import type { Task } from './task.ts'
import { testTask } from './test-task.ts'
import { judgeTransition } from './transitions.ts'

/** Returns the board after a claim, as the store would. */
const claim = (board: AttemptBoard, at = (board.task.attempts + 1) * 100): AttemptBoard => {
  const number = board.task.attempts + 1
  const lease = { startedAt: at, leaseUntil: at + LEASE_MS, lostAt: null }
  const attempt: Attempt = { id: `x${number}`, taskId: 't1', number, agentId: 'boo', ...lease, report: null }
  const task: Task = { ...board.task, attempts: number, status: 'in_progress', reason: null, failedAt: null }
  return { task: { ...task, startedAt: task.startedAt ?? at }, attempts: [...board.attempts, attempt] }
}
/** Returns the board after the lease of the newest attempt has expired, as the store would. */
const expire = ({ task, attempts }: AttemptBoard, at = task.attempts * 100 + 50): AttemptBoard => ({
  task: { ...task, status: 'todo' },
  attempts: attempts.map((attempt) => (attempt.number === task.attempts ? { ...attempt, lostAt: at } : attempt)),
})
const report = (attempt: number, more: Partial<AttemptReport> = {}): AttemptReport => ({
  attemptId: `x${attempt}`,
  attempt,
  outcome: 'completed',
  reason: null,
  costUsd: null,
  at: attempt * 100 + 60,
  ...more,
})
const empty = (task: Partial<Task> = {}): AttemptBoard => ({ task: testTask(task), attempts: [] })
const play = (board: AttemptBoard, ...reports: readonly AttemptReport[]) => reports.reduce(applyAttemptReport, board)
const stateOf = ({ report: sent, lostAt }: Attempt) => sent?.outcome ?? (lostAt === null ? 'running' : 'lost')
const judge = (board: AttemptBoard, sentReport: AttemptReport) =>
  judgeReport(board.task, board.attempts.find(({ id }) => id === sentReport.attemptId) ?? null, sentReport)

describe('reports', () => {
  test('[BO34] a report of an unknown attempt changes nothing', () => {
    const board = claim(empty())
    const wrong = [
      [report(1, { attemptId: 'x9' }), 'unknown_attempt'],
      [report(1, { attempt: 2 }), 'other_attempt'],
      [report(1, { at: Number.NaN }), 'malformed'],
      [report(1, { costUsd: -1 }), 'malformed'],
      [report(1, { costUsd: Number.NaN }), 'malformed'],
      [report(1, { outcome: 'won' as 'failed' }), 'malformed'],
    ] as const
    for (const [sentReport, code] of wrong) {
      expect(judge(board, sentReport)).toMatchObject({ verdict: 'stale', code, kept: false })
      expect(applyAttemptReport(board, sentReport)).toBe(board)
    }
    expect(judgeReport(testTask({ id: 't2', status: 'in_progress' }), board.attempts[0]!, report(1))).toMatchObject({
      code: 'unknown_attempt',
    })
  })

  test('[BO35] a late report of an expired attempt counts until another attempt claims the task', () => {
    const lost = expire(claim(empty()))
    expect(judge(lost, report(1))).toEqual({ verdict: 'accepted' })
    expect(play(lost, report(1)).task.status).toBe('in_review')
    const again = claim(lost)
    expect(judge(again, report(1))).toMatchObject({ verdict: 'stale', code: 'superseded' })
    expect(play(again, report(1)).task).toMatchObject({ status: 'in_progress', attempts: 2 })
  })

  test('[BO36] a repeated report changes nothing, nor does a different one after it', () => {
    const ended = play(claim(empty()), report(1))
    expect(judge(ended, report(1))).toEqual({ verdict: 'repeated' })
    expect(judge(ended, report(1, { outcome: 'failed' }))).toMatchObject({ code: 'already_reported' })
    expect(play(ended, report(1), report(1, { outcome: 'failed' }))).toBe(ended)
  })

  test('[BO37] a report does not move a task that was moved meanwhile, but its cost is stored', () => {
    const { attempts, task } = claim(empty())
    for (const status of ['backlog', 'todo', 'in_review', 'done', 'blocked', 'cancelled'] as const) {
      const board = { attempts, task: { ...task, status } }
      expect(judge(board, report(1))).toMatchObject({ verdict: 'stale', code: 'task_moved_on', kept: true })
      expect(play(board, report(1, { outcome: 'failed', costUsd: 2 })).task).toMatchObject({
        status,
        costUsd: 2,
        failedAt: null,
      })
    }
  })

  test('[BO38] each outcome leads to its own status', () => {
    const after = (more: Partial<AttemptReport>) => play(claim(empty()), report(1, more)).task
    expect(after({ outcome: 'completed' })).toMatchObject({ status: 'in_review', reason: null, failedAt: null })
    expect(after({ outcome: 'released' })).toMatchObject({ status: 'todo', reason: null })
    expect(after({ outcome: 'blocked', reason: 'no key' })).toMatchObject({
      status: 'blocked',
      reason: 'no key',
      failedAt: null,
    })
    expect(after({ outcome: 'failed', reason: 'exit 1' })).toMatchObject({
      status: 'blocked',
      reason: 'exit 1',
      failedAt: 160,
    })
    for (const outcome of ['failed', 'blocked'] as const) expect(after({ outcome }).reason).not.toBeNull()
  })

  test('[BO39] the cost of a task is the sum of its attempts with known prices', () => {
    const second = claim(expire(claim(empty())))
    expect(play(second, report(2)).task.costUsd).toBeNull()
    expect(play(second, report(2), report(1, { costUsd: 0.5 })).task.costUsd).toBe(0.5)
    const both = play(second, report(2, { costUsd: 0.25 }), report(1, { costUsd: 0.5 }))
    expect(both.task).toMatchObject({ status: 'in_review', costUsd: 0.75 })
    expect(play(claim(empty()), report(1, { costUsd: 0 })).task.costUsd).toBe(0)
  })
})

describe('any order', () => {
  const ending = fc.record({
    outcome: fc.constantFrom(...ATTEMPT_OUTCOMES),
    costUsd: fc.option(fc.integer({ min: 0, max: 9 })),
  })

  test('[BO40] reports in any order and any number give the same board', () => {
    const endings = fc.array(fc.option(ending), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(endings, fc.array(fc.nat(99), { minLength: 8, maxLength: 8 }), (all, order) => {
        const board = all.reduce((before, _, at) => claim(at === 0 ? before : expire(before)), empty())
        const reports = all.flatMap((end, at) => (end ? [report(at + 1, { ...end, reason: 'why' })] : []))
        const shuffled = [...reports, ...reports]
          .map((sent, at) => ({ sent, at: order[at]! }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ sent }) => sent)
        const inOrder = play(board, ...reports)
        expect(play(board, ...shuffled)).toEqual(inOrder)
        expect(play(inOrder, ...reports)).toBe(inOrder)
      }),
    )
  })

  test('[BO41] reports and leases make only moves that the host is allowed, and never lose the newest report', () => {
    const step = fc.constantFrom('claim', 'end', 'deliver', 'deliver', 'repeat', 'wait')
    const outcome = fc.constantFrom(...ATTEMPT_OUTCOMES)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, outcome, fc.nat(5)), { maxLength: 40 }), (steps) => {
        const host = new Host()
        for (const [action, sentReport, which] of steps) host.step(action, sentReport, which)
        host.deliverAll()
        const { task, attempts } = host.board
        const newest = attempts.at(-1)
        expect(attempts.map((attempt) => attempt.number)).toEqual(attempts.map((_, at) => at + 1))
        for (const made of host.made) {
          const attempt = attempts.find(({ id }) => id === made.attemptId)!
          expect(attempt.report).toEqual(made)
        }
        const places = {
          completed: 'in_review',
          failed: 'blocked',
          blocked: 'blocked',
          released: 'todo',
          lost: 'todo',
          running: 'in_progress',
        }
        expect(task.status).toBe(newest ? places[stateOf(newest)] : 'todo')
      }),
    )
  })
})

/** A host with an outbox that delivers late, repeatedly and out of order. */
class Host {
  board = empty()
  now = 0
  readonly made: AttemptReport[] = []
  readonly outbox: AttemptReport[] = []

  step(action: string, outcome: AttemptReport['outcome'], which: number): void {
    const { task, attempts } = this.board
    const running = attempts.filter(({ id }) => !this.made.some(({ attemptId }) => attemptId === id))
    const one = running[which % Math.max(1, running.length)]
    this.now += 1_000
    if (action === 'claim' && judgeTransition(task.status, 'in_progress', { kind: 'claim' }).ok)
      this.board = claim(this.board, this.now)
    if (action === 'wait') this.now += 20_000
    if (action === 'end' && one) {
      const sentReport = report(one.number, { outcome, at: this.now })
      this.made.push(sentReport)
      this.outbox.push(sentReport)
    }
    if (action === 'deliver') this.deliver(this.outbox.splice(which % Math.max(1, this.outbox.length), 1))
    if (action === 'repeat') this.deliver(this.made.slice(which, which + 1))
    const newest = this.board.attempts.at(-1)
    const isExpired = newest && stateOf(newest) === 'running' && this.now >= newest.leaseUntil
    if (isExpired && this.board.task.status === 'in_progress') this.change(expire(this.board, this.now))
  }

  deliverAll(): void {
    this.deliver(this.outbox.splice(0))
    this.deliver(this.made)
  }

  deliver(reports: readonly AttemptReport[]): void {
    for (const sentReport of reports) this.change(applyAttemptReport(this.board, sentReport))
  }

  change(after: AttemptBoard): void {
    expect(judgeTransition(this.board.task.status, after.task.status, { kind: 'host' }).ok).toBe(true)
    this.board = after
  }
}
