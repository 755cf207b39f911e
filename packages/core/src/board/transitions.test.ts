import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  judgeTransition,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  type TransitionBy,
  type TransitionMover,
} from './transitions.ts'

const person: TransitionBy = { kind: 'person' }
const owner: TransitionBy = { kind: 'agent', isOwnTask: true }
const stranger: TransitionBy = { kind: 'agent', isOwnTask: false }
const claim: TransitionBy = { kind: 'claim' }
const host: TransitionBy = { kind: 'host' }
const everyone = [person, owner, stranger, claim, host]

const pairs = TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => [from, to] as const))
const moves = (by: TransitionBy) =>
  pairs.filter(([from, to]) => {
    const verdict = judgeTransition(from, to, by)
    return verdict.ok && verdict.changed
  })
const refusal = (from: string, to: string, by: TransitionBy) => {
  const verdict = judgeTransition(from, to, by)
  return verdict.ok ? null : verdict.message
}

test('[BO5] allows only the moves in the table, and only for the movers it names', () => {
  for (const by of [person, owner, claim, host])
    expect(moves(by)).toEqual(pairs.filter(([from, to]) => TASK_TRANSITIONS[from][to]?.includes(by.kind)))
  expect(judgeTransition('done', 'in_review', person)).toEqual({
    ok: false,
    code: 'illegal_transition',
    message: 'A task that is done cannot move to in review.',
  })
  expect(refusal('todo', 'cancelled', owner)).toBe('An agent cannot move a task from to do to cancelled.')
})

test('[BO5] every refusal is a complete sentence', () => {
  for (const by of everyone)
    for (const [from, to] of pairs) expect(refusal(from, to, by) ?? 'Moved.').toMatch(/^[A-Z].*\.$/)
})

test('[BO6] the same status is a no-op for everyone except a claim', () => {
  for (const status of TASK_STATUSES) {
    for (const by of [person, owner, stranger, host])
      expect(judgeTransition(status, status, by)).toEqual({ ok: true, changed: false })
    expect(judgeTransition(status, status, claim).ok).toBe(false)
  }
})

test('[BO7] only a claim moves a task to in progress, and a claim does nothing else', () => {
  expect(moves(claim)).toEqual([['todo', 'in_progress']])
  for (const by of [person, owner, stranger, host])
    for (const from of TASK_STATUSES.filter((status) => status !== 'in_progress'))
      expect(refusal(from, 'in_progress', by)).toBe('A task moves to in progress only when it is claimed.')
  expect(refusal('in_progress', 'in_progress', claim)).toBe(
    'Only a task in to do can be claimed; this one is in progress.',
  )
})

test('[BO8] an agent moves only its own task, and only out of in progress', () => {
  expect(moves(owner)).toEqual([
    ['in_progress', 'in_review'],
    ['in_progress', 'done'],
    ['in_progress', 'blocked'],
  ])
  expect(moves(stranger)).toEqual([])
  expect(refusal('in_progress', 'done', stranger)).toBe('An agent can move only its own task.')
})

test('[BO9] only a person reopens a done task; the host can also reopen a cancelled one', () => {
  const reopened = (by: TransitionBy, status: string) =>
    moves(by).flatMap(([from, to]) => (from === status ? [to] : []))
  expect(reopened(person, 'done')).toEqual(['backlog', 'todo'])
  expect(reopened(person, 'cancelled')).toEqual(['backlog', 'todo'])
  expect(reopened(host, 'done')).toEqual([])
  expect(reopened(host, 'cancelled')).toEqual(['backlog', 'todo', 'blocked'])
  for (const status of ['done', 'cancelled']) expect(reopened(owner, status)).toEqual([])
})

test('[BO10] the table in the spec equals the table in the code', () => {
  const spec = readFileSync(join(import.meta.dirname, '../../../../docs/specs/board.md'), 'utf8')
  const rows = spec.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const letters: Record<string, TransitionMover> = { P: 'person', A: 'agent', C: 'claim', H: 'host' }
  expect(cells[0]!.slice(1)).toEqual([...TASK_STATUSES])
  expect(cells.slice(1).map((row) => row[0])).toEqual([...TASK_STATUSES])
  for (const [from, ...fields] of cells.slice(1)) {
    for (const [at, field] of fields.entries()) {
      const [to, row] = [TASK_STATUSES[at]!, TASK_TRANSITIONS[from as (typeof TASK_STATUSES)[number]]]
      if (from === to) expect(field).toBe('·')
      else
        expect(
          field
            .split(' ')
            .filter(Boolean)
            .map((letter) => letters[letter]),
        ).toEqual(row[to] ?? [])
    }
  }
})

test('[BO11] refuses an unknown status', () => {
  for (const status of ['', 'Todo', 'constructor', '__proto__', 'toString'])
    for (const by of everyone) {
      expect(refusal(status, status, by)).toBe(`There is no status “${status}”.`)
      expect(refusal('todo', status, by)).toBe(`There is no status “${status}”.`)
    }
})
