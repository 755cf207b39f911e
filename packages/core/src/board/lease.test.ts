import { expect, test } from 'vitest'
import { judgeLease, LEASE_MS, LEASE_RENEW_MS, leaseFrom } from './lease.ts'

test('[BO33] a lease holds for 30 s and is to be renewed after 10', () => {
  const until = leaseFrom(1_000)
  expect(until).toBe(31_000)
  expect([1_000, 10_999, 11_000, 30_999, 31_000].map((now) => judgeLease(until, now))).toEqual([
    'fresh',
    'fresh',
    'renew',
    'renew',
    'run_out',
  ])
  expect(LEASE_RENEW_MS * 3).toBeLessThanOrEqual(LEASE_MS)
})

test('[BO33] a lease without a time has run out', () => {
  expect(judgeLease(Number.NaN, 0)).toBe('run_out')
  expect(judgeLease(5, Number.NaN)).toBe('run_out')
})
