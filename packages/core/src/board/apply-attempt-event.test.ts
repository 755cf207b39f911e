import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttemptBoard, applyAttemptEvent } from './apply-attempt-event.ts'
import { ATTEMPT_OUTCOMES, type AttemptEvent, type AttemptReport, attemptState } from './attempt.ts'
import { judgeReport } from './judge-report.ts'
import { LEASE_MS, LEASE_RENEW_MS } from './lease.ts'
import type { Task } from './task.ts'
import { testTask } from './test-task.ts'
import { judgeTransition } from './transitions.ts'

const claimed = (attempt: number, at = attempt * 100): AttemptEvent => ({
  type: 'claimed',
  attemptId: `x${attempt}`,
  taskId: 't1',
  attempt,
  agentId: 'boo',
  at,
  leaseUntil: at + LEASE_MS,
})
const expired = (attempt: number, at = attempt * 100 + 50): AttemptEvent => ({
  type: 'expired',
  attemptId: `x${attempt}`,
  attempt,
  at,
})
const renewed = (attempt: number, leaseUntil: number): AttemptEvent => ({
  type: 'renewed',
  attemptId: `x${attempt}`,
  attempt,
  leaseUntil,
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
const reported = (attempt: number, more: Partial<AttemptReport> = {}): AttemptEvent => ({
  type: 'reported',
  report: report(attempt, more),
})

const empty = (task: Partial<Task> = {}): AttemptBoard => ({ task: testTask(task), attempts: [] })
const play = (events: readonly AttemptEvent[], board = empty()) => events.reduce(applyAttemptEvent, board)
const judge = (board: AttemptBoard, sentReport: AttemptReport) =>
  judgeReport(board.task, board.attempts.find(({ id }) => id === sentReport.attemptId) ?? null, sentReport)

describe('reports', () => {
  test('[BO34] a report of an unknown attempt changes nothing', () => {
    const board = play([claimed(1)])
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
      expect(applyAttemptEvent(board, { type: 'reported', report: sentReport })).toBe(board)
    }
    expect(judgeReport(testTask({ id: 't2', status: 'in_progress' }), board.attempts[0]!, report(1))).toMatchObject({
      code: 'unknown_attempt',
    })
  })

  test('[BO34] impossible events change nothing', () => {
    const board = play([claimed(1)])
    const wrong: AttemptEvent[] = [
      { ...claimed(2), attempt: 0 } as AttemptEvent,
      { ...claimed(2), attempt: 1 } as AttemptEvent,
      { ...claimed(2), taskId: 't9' } as AttemptEvent,
      claimed(2, Number.NaN),
      renewed(1, Number.NaN),
      renewed(1, 1),
      { ...renewed(1, 90_000), attempt: 2 } as AttemptEvent,
      expired(1, Number.NaN),
      expired(7),
    ]
    for (const event of wrong) expect(applyAttemptEvent(board, event)).toBe(board)
  })

  test('[BO35] an expired lease frees the task; its late report counts until another attempt claims it', () => {
    const lost = play([claimed(1), expired(1)])
    expect(lost.task.status).toBe('todo')
    expect(attemptState(lost.attempts[0]!)).toBe('lost')
    expect(judge(lost, report(1))).toEqual({ verdict: 'accepted' })
    expect(play([reported(1)], lost).task.status).toBe('in_review')
    const again = play([claimed(2)], lost)
    expect(judge(again, report(1))).toMatchObject({ verdict: 'stale', code: 'superseded' })
    expect(play([reported(1)], again).task).toMatchObject({ status: 'in_progress', attempts: 2 })
  })

  test('[BO36] a repeated report changes nothing, nor does a different one after it', () => {
    const ended = play([claimed(1), reported(1)])
    expect(judge(ended, report(1))).toEqual({ verdict: 'repeated' })
    expect(judge(ended, report(1, { outcome: 'failed' }))).toMatchObject({ code: 'already_reported' })
    expect(play([reported(1), reported(1, { outcome: 'failed' })], ended)).toBe(ended)
  })

  test('[BO37] a report does not move a task that was moved meanwhile, but its cost is stored', () => {
    const { attempts, task } = play([claimed(1)])
    for (const status of ['backlog', 'todo', 'in_review', 'done', 'blocked', 'cancelled'] as const) {
      const board = { attempts, task: { ...task, status } }
      expect(judge(board, report(1))).toMatchObject({ verdict: 'stale', code: 'task_moved_on', kept: true })
      expect(play([reported(1, { outcome: 'failed', costUsd: 2 })], board).task).toMatchObject({
        status,
        costUsd: 2,
        failedAt: null,
      })
    }
  })

  test('[BO37] a late claim event never reopens a task that a person has ended', () => {
    for (const status of ['backlog', 'done', 'cancelled'] as const)
      expect(play([claimed(1)], empty({ status })).task).toMatchObject({ status, attempts: 1 })
  })

  test('[BO38] each outcome leads to its own status', () => {
    const after = (more: Partial<AttemptReport>) => play([claimed(1), reported(1, more)]).task
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
    const claimedAgain = play([claimed(1), reported(1, { outcome: 'failed', reason: 'exit 1' }), claimed(2)]).task
    expect(claimedAgain).toMatchObject({ status: 'in_progress', reason: null, failedAt: null, startedAt: 100 })
  })

  test('[BO39] the cost of a task is the sum of its attempts with known prices', () => {
    const first = [claimed(1), expired(1), claimed(2), reported(2)]
    expect(play(first).task.costUsd).toBeNull()
    expect(play([...first, reported(1, { costUsd: 0.5 })]).task.costUsd).toBe(0.5)
    const two = [claimed(1), expired(1), claimed(2), reported(2, { costUsd: 0.25 }), reported(1, { costUsd: 0.5 })]
    expect(play(two).task).toMatchObject({ status: 'in_review', costUsd: 0.75 })
    expect(play([claimed(1), reported(1, { costUsd: 0 })]).task.costUsd).toBe(0)
  })
})

describe('any order', () => {
  const attempt = fc.record({
    expiries: fc.array(fc.nat(40), { maxLength: 2 }),
    outcome: fc.option(fc.constantFrom(...ATTEMPT_OUTCOMES)),
    costUsd: fc.option(fc.double({ min: 0, max: 9, noNaN: true })),
    renewals: fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 3 }),
  })
  /** The facts of each attempt, its claim first. */
  const history = fc.array(attempt, { minLength: 1, maxLength: 4 }).map((attempts) =>
    attempts.map(({ expiries, outcome, costUsd, renewals }, at) => {
      const n = at + 1
      return [
        claimed(n),
        ...renewals.map((ms) => renewed(n, n * 100 + ms)),
        ...expiries.map((ms) => expired(n, n * 100 + ms)),
        ...(outcome === null ? [] : [reported(n, { outcome, costUsd, reason: 'why' })]),
      ]
    }),
  )
  /** Delivers every fact at least once in random order, but none before the claim of its attempt. */
  const delivered = (facts: readonly (readonly AttemptEvent[])[], random: () => number) =>
    facts
      .flatMap(([claim, ...rest]) => {
        const later = [...rest, ...rest, claim!]
          .filter((_, at) => at < rest.length || random() < 0.5)
          .map((event) => ({ event, at: random() }))
        const first = Math.min(1, ...later.map(({ at }) => at)) * random()
        return [{ event: claim!, at: first }, ...later]
      })
      .toSorted((a, b) => a.at - b.at)
      .map(({ event }) => event)

  test('[BO40] facts in any order and any number give the same board', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (facts, stream) => {
        const random = () => stream.next().value
        const inOrder = play(facts.flat())
        expect(play(delivered(facts, random))).toEqual(inOrder)
        expect(play(facts.flat(), inOrder)).toBe(inOrder)
      }),
    )
  })

  test('[BO41] reports and leases move a task only as the host may, and never lose the newest report', () => {
    const step = fc.constantFrom('claim', 'end', 'deliver', 'deliver', 'repeat', 'wait', 'renew')
    const outcome = fc.constantFrom(...ATTEMPT_OUTCOMES)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, outcome, fc.nat(5)), { maxLength: 40 }), (steps) => {
        const host = new Host()
        for (const [what, sentReport, which] of steps) host.step(what, sentReport, which)
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
        expect(task.status).toBe(newest ? places[attemptState(newest)] : 'todo')
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

  step(what: string, outcome: AttemptReport['outcome'], which: number): void {
    const { task, attempts } = this.board
    const running = attempts.filter(({ id }) => !this.made.some(({ attemptId }) => attemptId === id))
    const one = running[which % Math.max(1, running.length)]
    this.now += 1_000
    if (what === 'claim' && judgeTransition(task.status, 'in_progress', { kind: 'claim' }).ok)
      this.board = applyAttemptEvent(this.board, claimed(task.attempts + 1, this.now))
    if (what === 'wait') this.now += 20_000
    if (what === 'renew' && one && this.now < one.leaseUntil && one.leaseUntil - this.now <= LEASE_MS - LEASE_RENEW_MS)
      this.board = applyAttemptEvent(this.board, renewed(one.number, this.now + LEASE_MS))
    if (what === 'end' && one) {
      const sentReport = report(one.number, { outcome, at: this.now })
      this.made.push(sentReport)
      this.outbox.push(sentReport)
    }
    if (what === 'deliver') this.deliver(this.outbox.splice(which % Math.max(1, this.outbox.length), 1))
    if (what === 'repeat') this.deliver(this.made.slice(which, which + 1))
    for (const { number, leaseUntil, lostAt, report: sentReport } of this.board.attempts)
      if (lostAt === null && sentReport === null && this.now >= leaseUntil) this.apply(expired(number, this.now))
  }

  deliverAll(): void {
    this.deliver(this.outbox.splice(0))
    this.deliver(this.made)
  }

  deliver(reports: readonly AttemptReport[]): void {
    for (const sentReport of reports) this.apply({ type: 'reported', report: sentReport })
  }

  apply(event: AttemptEvent): void {
    const before = this.board.task.status
    this.board = applyAttemptEvent(this.board, event)
    expect(judgeTransition(before, this.board.task.status, { kind: 'host' }).ok).toBe(true)
  }
}
