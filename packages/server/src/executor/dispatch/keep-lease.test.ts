import { expect, test } from 'vitest'
import { createLog } from '../../log.ts'
import { keepLease } from './keep-lease.ts'

/** A lease whose renewals go as said, each looked at when the test says so. */
function testLease(renewals: ('kept' | 'lost' | 'fails' | 'hangs')[]) {
  let at = 0
  let lost = 0
  const lease = keepLease({
    claims: {
      async renew() {
        const next = renewals.shift()
        if (next === 'fails') throw new Error('locked')
        if (next === 'hangs') await new Promise(() => {})
        return next === 'kept'
      },
    },
    execution: { id: 'e', attempt: 1 },
    log: createLog('silent'),
    everyMs: 10_000,
    now: () => at,
    lost: () => lost++,
  })
  return {
    async lookAt(ms: number) {
      at = ms
      lease.look()
      await new Promise((resolve) => setImmediate(resolve))
      return lost
    },
    stop: lease.stop,
  }
}

test('[DI16] a lease is given up when it is somebody else’s, once', async () => {
  const lease = testLease(['kept', 'lost', 'lost'])
  expect(await lease.lookAt(10_000)).toBe(0)
  expect(await lease.lookAt(20_000)).toBe(1)
  expect(await lease.lookAt(30_000)).toBe(1)
})

test('[DI16] a renewal may fail, but not so long that the lease runs out before the next one', async () => {
  const lease = testLease(['fails', 'kept', 'fails', 'fails'])
  expect(await lease.lookAt(10_000)).toBe(0)
  expect(await lease.lookAt(19_000)).toBe(0)
  expect(await lease.lookAt(29_000)).toBe(0)
  expect(await lease.lookAt(39_000)).toBe(1)
  lease.stop()
})

test('[DI16] a renewal that is never answered is no renewal', async () => {
  const lease = testLease(['kept', 'hangs'])
  expect(await lease.lookAt(10_000)).toBe(0)
  expect(await lease.lookAt(20_000)).toBe(0)
  expect(await lease.lookAt(29_000)).toBe(0)
  expect(await lease.lookAt(30_000)).toBe(1)
  expect(await lease.lookAt(40_000)).toBe(1)
})
