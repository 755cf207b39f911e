import { expect, test } from 'vitest'
import { createInOrder, createInOrderByKey } from './in-order.ts'

const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1))

test('[EX106] work runs in the order of the calls, one piece at a time, and a failure does not stop the next', async () => {
  const inOrder = createInOrder()
  const log: string[] = []
  const slow = inOrder(async () => {
    log.push('first begins')
    await later()
    log.push('first ends')
    return 1
  })
  const failing = inOrder(async () => {
    log.push('second')
    throw new Error('broken')
  })
  const third = inOrder(async () => void log.push('third'))
  await expect(failing).rejects.toThrow('broken')
  expect([await slow, await third]).toEqual([1, undefined])
  expect(log).toEqual(['first begins', 'first ends', 'second', 'third'])
})

test('[EX106] settled waits for all work so far, whether it succeeds or fails', async () => {
  const inOrder = createInOrder()
  let ended = 0
  const count = async () => {
    await later()
    ended += 1
    throw new Error('broken')
  }
  const both = Promise.allSettled([inOrder(count), inOrder(count)])
  await inOrder.settled()
  expect(ended).toBe(2)
  await both
})

test('[EX106] work under different keys overlaps, work under one key does not', async () => {
  const inOrder = createInOrderByKey()
  const log: string[] = []
  const job = (key: string, name: string) =>
    inOrder(key, async () => {
      log.push(`${name} begins`)
      await later()
      log.push(`${name} ends`)
    })
  await Promise.all([job('a', 'a1'), job('a', 'a2'), job('b', 'b1')])
  expect(log.indexOf('a2 begins')).toBeGreaterThan(log.indexOf('a1 ends'))
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'))
})
