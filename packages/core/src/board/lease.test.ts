import { expect, test } from 'vitest'
import { LEASE_MS, LEASE_RENEW_MS } from './attempt.ts'

test('[BO33] a lease lasts 30 s and allows two lost renewals', () => {
  expect([LEASE_MS, LEASE_RENEW_MS]).toEqual([30_000, 10_000])
})
