import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_DELEGATION_CAPS, type DelegationCounts, judgeDelegation } from './delegation.ts'

const counts = (more: Partial<DelegationCounts> = {}): DelegationCounts => ({
  parentDepth: 0,
  madeThisTurn: 0,
  liveChildren: 0,
  asked: 1,
  ...more,
})

test('[BO31] allows two levels, eight tasks per run and 24 open subtasks, and no more', () => {
  expect(judgeDelegation(counts({ parentDepth: 1, madeThisTurn: 7, liveChildren: 23 }))).toEqual({ ok: true })
  expect(judgeDelegation(counts({ asked: 8, liveChildren: 16 }))).toEqual({ ok: true })
  const capped = [
    [counts({ parentDepth: 2 }), 'depth'],
    [counts({ madeThisTurn: 8 }), 'fanOut'],
    [counts({ asked: 9 }), 'fanOut'],
    [counts({ liveChildren: 24 }), 'liveChildren'],
    [counts({ liveChildren: 17, asked: 8 }), 'liveChildren'],
  ] as const
  for (const [input, cap] of capped) expect(judgeDelegation(input)).toMatchObject({ ok: false, cap })
})

test('[BO31] the limits can be changed', () => {
  expect(judgeDelegation(counts({ parentDepth: 2 }), { ...DEFAULT_DELEGATION_CAPS, depth: 3 }).ok).toBe(true)
  expect(judgeDelegation(counts(), { ...DEFAULT_DELEGATION_CAPS, fanOut: 0 })).toMatchObject({ cap: 'fanOut' })
  expect(judgeDelegation(counts(), { ...DEFAULT_DELEGATION_CAPS, depth: Number.NaN }).ok).toBe(false)
})

test('[BO32] a refusal names the limit and the number that would exceed it', () => {
  expect(judgeDelegation(counts({ madeThisTurn: 6, asked: 4 }))).toEqual({
    ok: false,
    code: 'delegation_capped',
    cap: 'fanOut',
    figure: 10,
    limit: 8,
    message: 'That would make 10 tasks from one run; at most 8 are allowed.',
  })
})

test('[BO32] an invalid count never passes a limit', () => {
  for (const strange of [-1, 0.5, Number.NaN, Number.NEGATIVE_INFINITY])
    for (const field of ['parentDepth', 'madeThisTurn', 'liveChildren', 'asked'])
      expect(judgeDelegation(counts({ [field]: strange })).ok).toBe(false)
  const figure = fc.oneof(fc.integer({ min: -5, max: 40 }), fc.double())
  const record = fc.record({ parentDepth: figure, madeThisTurn: figure, liveChildren: figure, asked: figure })
  fc.assert(
    fc.property(record, (input) => {
      const isCount = Object.values(input).every((value) => Number.isSafeInteger(value) && value >= 0)
      const fits =
        input.parentDepth < 2 && input.madeThisTurn + input.asked <= 8 && input.liveChildren + input.asked <= 24
      expect(judgeDelegation(input).ok).toBe(isCount && fits)
    }),
  )
})
