import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SpokenMessages } from './spoken-messages.ts'

test('[OC50] growing text is reported as pieces that join to the whole, message by message', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), { maxLength: 5 }), (messages) => {
      const spoken = new SpokenMessages()
      const received: string[] = []
      for (const [at, parts] of messages.entries())
        for (let n = 1; n <= parts.length; n++) {
          const piece = spoken.add(`item-${at}`, parts.slice(0, n).join(''))
          expect(piece).toMatchObject({ message: at, offset: (received[at] ?? '').length })
          received[at] = (received[at] ?? '') + piece!.text
          expect(spoken.add(`item-${at}`, received[at])).toBeNull()
        }
      expect(received).toEqual(messages.map((parts) => parts.join('')))
      expect([spoken.next, spoken.last]).toEqual([messages.length, received.at(-1) ?? null])
    }),
  )
})

test('[OC50] text that shrinks or repeats is not reported twice', () => {
  const spoken = new SpokenMessages()
  spoken.add('a', 'Hello there')
  expect(spoken.add('a', 'Hello')).toBeNull()
  expect(spoken.add('a', 'Hello there')).toBeNull()
  expect(spoken.add('a', 'Hello there.')).toEqual({ message: 0, offset: 11, text: '.' })
  expect(spoken.last).toBe('Hello there.')
})

test('[OC50] a complete message is reported once, whether or not its pieces came before', () => {
  const spoken = new SpokenMessages()
  spoken.nextCall()
  expect(spoken.addWhole('preamble-1', 'I will look.')).toEqual({ message: 0, offset: 0, text: 'I will look.' })
  expect(spoken.addWhole('preamble-1', 'I will look.')).toBeNull()
  spoken.nextCall()
  expect(spoken.add('item-2', 'Some')).toEqual({ message: 1, offset: 0, text: 'Some' })
  expect(spoken.addWhole('preamble-2', 'Some words.')).toEqual({ message: 1, offset: 4, text: ' words.' })
  expect(spoken.addWhole('preamble-2', 'Some words.')).toBeNull()
  spoken.nextCall()
  expect(spoken.addWhole('preamble-3', 'Some words.')).toEqual({ message: 2, offset: 0, text: 'Some words.' })
  expect(spoken.last).toBe('Some words.')
})
