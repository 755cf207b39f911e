import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SingleConsumerQueue } from './single-consumer-queue.ts'

async function drain<T>(queue: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = []
  for await (const value of queue) values.push(value)
  return values
}

test('[EX50] the reader gets every value once and in order, whether it was pushed before or after the read', async () => {
  const moves = fc.array(fc.constantFrom('push', 'read', 'breathe'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const queue = new SingleConsumerQueue<number>()
      const reader = queue[Symbol.asyncIterator]()
      const reads: Promise<IteratorResult<number>>[] = []
      let pushed = 0
      for (const move of list) {
        if (move === 'push') queue.push(pushed++)
        // A second open read would throw.
        else if (move === 'read' && reads.length <= pushed) reads.push(reader.next())
        else await Promise.resolve()
      }
      queue.end()
      const early = (await Promise.all(reads)).flatMap((result) => (result.done ? [] : [result.value]))
      const late = await drain({ [Symbol.asyncIterator]: () => reader })
      expect([...early, ...late]).toEqual(Array.from({ length: pushed }, (_, n) => n))
    }),
  )
})

test('[EX50] undefined and null are delivered like any other value', async () => {
  const queue = new SingleConsumerQueue<undefined | null>()
  queue.push(undefined)
  queue.push(null)
  queue.end()
  expect(await drain(queue)).toEqual([undefined, null])
})

test('[EX51] a second reader throws, even after the end', async () => {
  const queue = new SingleConsumerQueue<number>()
  queue.end()
  expect(await drain(queue)).toEqual([])
  expect(() => queue[Symbol.asyncIterator]()).toThrow(TypeError)
})

test('[EX51] a second read before the first has resolved throws', () => {
  const reader = new SingleConsumerQueue<number>()[Symbol.asyncIterator]()
  void reader.next()
  expect(() => reader.next()).toThrow(TypeError)
})

test('[EX52] the end follows the pushed values and wakes a waiting reader, and nothing follows the end', async () => {
  const queue = new SingleConsumerQueue<string>()
  queue.push('one')
  queue.end()
  queue.push('too late')
  queue.end()
  expect(queue.ended).toBe(true)
  expect(await drain(queue)).toEqual(['one'])

  const waiting = new SingleConsumerQueue<string>()
  const reader = waiting[Symbol.asyncIterator]()
  const answer = reader.next()
  waiting.end()
  expect(await answer).toEqual({ value: undefined, done: true })
  expect(await reader.next()).toEqual({ value: undefined, done: true })
})

test('[EX53] when the reader leaves, pushed values and later ones are dropped', async () => {
  const queue = new SingleConsumerQueue<number>()
  const reader = queue[Symbol.asyncIterator]()
  for (let n = 0; n < 5; n++) queue.push(n)
  for await (const value of { [Symbol.asyncIterator]: () => reader }) if (value === 1) break
  queue.push(9)
  expect(queue.ended).toBe(true)
  expect(await reader.next()).toEqual({ value: undefined, done: true })
})
