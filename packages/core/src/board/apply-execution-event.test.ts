import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyExecutionEvent, type ExecutionBoard } from './apply-execution-event.ts'
import { EXECUTION_OUTCOMES, type ExecutionEvent, type ExecutionReport, executionState } from './execution.ts'
import { judgeReport } from './judge-report.ts'
import { LEASE_MS, LEASE_RENEW_MS } from './lease.ts'
import type { Task } from './task.ts'
import { testTask } from './test-task.ts'
import { judgeTransition } from './transitions.ts'

const claimed = (attempt: number, at = attempt * 100): ExecutionEvent => ({
  type: 'claimed',
  executionId: `x${attempt}`,
  taskId: 't1',
  attempt,
  agentId: 'boo',
  at,
  leaseUntil: at + LEASE_MS,
})
const expired = (attempt: number, at = attempt * 100 + 50): ExecutionEvent => ({
  type: 'expired',
  executionId: `x${attempt}`,
  attempt,
  at,
})
const renewed = (attempt: number, leaseUntil: number): ExecutionEvent => ({
  type: 'renewed',
  executionId: `x${attempt}`,
  attempt,
  leaseUntil,
})
const report = (attempt: number, more: Partial<ExecutionReport> = {}): ExecutionReport => ({
  executionId: `x${attempt}`,
  attempt,
  outcome: 'completed',
  reason: null,
  costUsd: null,
  at: attempt * 100 + 60,
  ...more,
})
const reported = (attempt: number, more: Partial<ExecutionReport> = {}): ExecutionEvent => ({
  type: 'reported',
  report: report(attempt, more),
})

const empty = (task: Partial<Task> = {}): ExecutionBoard => ({ task: testTask(task), executions: [] })
const play = (events: readonly ExecutionEvent[], board = empty()) => events.reduce(applyExecutionEvent, board)
const judge = (board: ExecutionBoard, sentReport: ExecutionReport) =>
  judgeReport(board.task, board.executions.find(({ id }) => id === sentReport.executionId) ?? null, sentReport)

describe('reports', () => {
  test('[BO34] a report of an unknown attempt changes nothing', () => {
    const board = play([claimed(1)])
    const wrong = [
      [report(1, { executionId: 'x9' }), 'unknown_execution'],
      [report(1, { attempt: 2 }), 'other_attempt'],
      [report(1, { at: Number.NaN }), 'malformed'],
      [report(1, { costUsd: -1 }), 'malformed'],
      [report(1, { costUsd: Number.NaN }), 'malformed'],
      [report(1, { outcome: 'won' as 'failed' }), 'malformed'],
    ] as const
    for (const [sentReport, code] of wrong) {
      expect(judge(board, sentReport)).toMatchObject({ verdict: 'stale', code, kept: false })
      expect(applyExecutionEvent(board, { type: 'reported', report: sentReport })).toBe(board)
    }
    expect(judgeReport(testTask({ id: 't2', status: 'in_progress' }), board.executions[0]!, report(1))).toMatchObject({
      code: 'unknown_execution',
    })
  })

  test('[BO34] impossible events change nothing', () => {
    const board = play([claimed(1)])
    const wrong: ExecutionEvent[] = [
      { ...claimed(2), attempt: 0 } as ExecutionEvent,
      { ...claimed(2), attempt: 1 } as ExecutionEvent,
      { ...claimed(2), taskId: 't9' } as ExecutionEvent,
      claimed(2, Number.NaN),
      renewed(1, Number.NaN),
      renewed(1, 1),
      { ...renewed(1, 90_000), attempt: 2 } as ExecutionEvent,
      expired(1, Number.NaN),
      expired(7),
    ]
    for (const event of wrong) expect(applyExecutionEvent(board, event)).toBe(board)
  })

  test('[BO35] an expired lease frees the task; its late report counts until another attempt claims it', () => {
    const lost = play([claimed(1), expired(1)])
    expect(lost.task.status).toBe('todo')
    expect(executionState(lost.executions[0]!)).toBe('lost')
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
    const { executions, task } = play([claimed(1)])
    for (const status of ['backlog', 'todo', 'in_review', 'done', 'blocked', 'cancelled'] as const) {
      const board = { executions, task: { ...task, status } }
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
    const after = (more: Partial<ExecutionReport>) => play([claimed(1), reported(1, more)]).task
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
    outcome: fc.option(fc.constantFrom(...EXECUTION_OUTCOMES)),
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
  const delivered = (facts: readonly (readonly ExecutionEvent[])[], random: () => number) =>
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
    const outcome = fc.constantFrom(...EXECUTION_OUTCOMES)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, outcome, fc.nat(5)), { maxLength: 40 }), (steps) => {
        const host = new Host()
        for (const [what, sentReport, which] of steps) host.step(what, sentReport, which)
        host.deliverAll()
        const { task, executions } = host.board
        const newest = executions.at(-1)
        expect(executions.map((execution) => execution.attempt)).toEqual(executions.map((_, at) => at + 1))
        for (const made of host.made) {
          const execution = executions.find(({ id }) => id === made.executionId)!
          expect(execution.report).toEqual(made)
        }
        const places = {
          completed: 'in_review',
          failed: 'blocked',
          blocked: 'blocked',
          released: 'todo',
          lost: 'todo',
          running: 'in_progress',
        }
        expect(task.status).toBe(newest ? places[executionState(newest)] : 'todo')
      }),
    )
  })
})

/** A host with an outbox that delivers late, repeatedly and out of order. */
class Host {
  board = empty()
  now = 0
  readonly made: ExecutionReport[] = []
  readonly outbox: ExecutionReport[] = []

  step(what: string, outcome: ExecutionReport['outcome'], which: number): void {
    const { task, executions } = this.board
    const running = executions.filter(({ id }) => !this.made.some(({ executionId }) => executionId === id))
    const one = running[which % Math.max(1, running.length)]
    this.now += 1_000
    if (what === 'claim' && judgeTransition(task.status, 'in_progress', { kind: 'claim' }).ok)
      this.board = applyExecutionEvent(this.board, claimed(task.attempts + 1, this.now))
    if (what === 'wait') this.now += 20_000
    if (what === 'renew' && one && this.now < one.leaseUntil && one.leaseUntil - this.now <= LEASE_MS - LEASE_RENEW_MS)
      this.board = applyExecutionEvent(this.board, renewed(one.attempt, this.now + LEASE_MS))
    if (what === 'end' && one) {
      const sentReport = report(one.attempt, { outcome, at: this.now })
      this.made.push(sentReport)
      this.outbox.push(sentReport)
    }
    if (what === 'deliver') this.deliver(this.outbox.splice(which % Math.max(1, this.outbox.length), 1))
    if (what === 'repeat') this.deliver(this.made.slice(which, which + 1))
    for (const { attempt, leaseUntil, lostAt, report: sentReport } of this.board.executions)
      if (lostAt === null && sentReport === null && this.now >= leaseUntil) this.apply(expired(attempt, this.now))
  }

  deliverAll(): void {
    this.deliver(this.outbox.splice(0))
    this.deliver(this.made)
  }

  deliver(reports: readonly ExecutionReport[]): void {
    for (const sentReport of reports) this.apply({ type: 'reported', report: sentReport })
  }

  apply(event: ExecutionEvent): void {
    const before = this.board.task.status
    this.board = applyExecutionEvent(this.board, event)
    expect(judgeTransition(before, this.board.task.status, { kind: 'host' }).ok).toBe(true)
  }
}
