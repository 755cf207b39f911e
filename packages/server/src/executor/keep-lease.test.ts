import { expect, test } from 'vitest'
import { keepLease } from './keep-lease.ts'

/** A lease of 30 s whose renewals end as listed, each at a time that the test sets. */
function testLease(renewals: ('renewed' | 'lost' | 'fails' | 'hangs')[]) {
  let at = 0
  let losses = 0
  const lease = keepLease({
    async renew() {
      const next = renewals.shift()
      if (next === 'fails') throw new Error('locked')
      if (next === 'hangs') await new Promise(() => {})
      return next === 'renewed'
    },
    leaseMs: 30_000,
    everyMs: 10_000,
    now: () => at,
    onError: () => {},
    onLost: () => losses++,
  })
  return {
    /** Resolves to the number of calls of `onLost`. */
    async renewAt(ms: number) {
      at = ms
      lease.renewNow()
      await new Promise((resolve) => setImmediate(resolve))
      return losses
    },
    stop: lease.stop,
  }
}

test('[DI16] a lease that another server has taken is given up once', async () => {
  const lease = testLease(['renewed', 'lost', 'lost'])
  expect(await lease.renewAt(10_000)).toBe(0)
  expect(await lease.renewAt(20_000)).toBe(1)
  expect(await lease.renewAt(30_000)).toBe(1)
  expect(lease.stop()).toBe(false)
})

test('[DI16] a renewal may fail, but the lease is given up before it can expire', async () => {
  const lease = testLease(['fails', 'renewed', 'fails', 'fails'])
  expect(await lease.renewAt(10_000)).toBe(0)
  expect(await lease.renewAt(19_000)).toBe(0)
  expect(await lease.renewAt(29_000)).toBe(0)
  expect(await lease.renewAt(39_000)).toBe(1)
})

test('[DI16] a renewal that never ends does not count as a renewal', async () => {
  const lease = testLease(['renewed', 'hangs'])
  expect(await lease.renewAt(10_000)).toBe(0)
  expect(await lease.renewAt(20_000)).toBe(0)
  expect(await lease.renewAt(29_000)).toBe(0)
  expect(await lease.renewAt(30_000)).toBe(1)
  expect(await lease.renewAt(40_000)).toBe(1)
})

test('[DI16] a stopped lease is neither renewed nor lost', async () => {
  const lease = testLease(['lost'])
  expect([lease.stop(), lease.stop()]).toEqual([true, false])
  expect(await lease.renewAt(90_000)).toBe(0)
})
