import { describe, expect, it } from 'vitest'
import { type CreateDatabase, useStore } from './use-store.ts'

export function describeWakes(createDatabase: CreateDatabase): void {
  describe('wake-ups', () => {
    const subject = useStore(createDatabase)

    it('[ST22] a notification wakes every listener of its channel until it leaves', async () => {
      const { db } = subject.store
      const first = countWakes((wake) => db.listen('channel', wake))
      const second = countWakes((wake) => db.listen('channel', wake))
      const other = countWakes((wake) => db.listen('other "channel"', wake))
      await notifyUntil(() => db.notify('channel'), first)
      await notifyUntil(() => db.notify('channel'), second)
      first.leave()
      const before = first.count()
      await notifyUntil(() => db.notify('channel'), second)
      await notifyUntil(() => db.notify('other "channel"'), other)
      expect(first.count()).toBe(before)
      second.leave()
      other.leave()
    })

    it('[ST23] a burst of notifications causes few wake-ups', async () => {
      const { db } = subject.store
      const listener = countWakes((wake) => db.listen('burst', wake))
      await notifyUntil(() => db.notify('burst'), listener)
      const before = listener.count()
      for (let n = 0; n < 500; n++) db.notify('burst')
      await listener.next()
      await notifyUntil(() => db.notify('burst'), listener)
      expect(listener.count() - before).toBeLessThan(10)
      listener.leave()
    })

    it('[ST24] a transaction notifies after its commit, and not at all after a rollback', async () => {
      const { db, settings } = subject.store
      const listener = countWakes((wake) => db.listen('commit', wake))
      const end = countWakes((wake) => db.listen('end', wake))
      await notifyUntil(() => db.notify('commit'), listener)
      await notifyUntil(() => db.notify('end'), end)
      const before = listener.count()
      const doomed = db.transaction(async (tx) => {
        tx.notify('commit')
        db.notify('commit')
        throw new Error('rolled back')
      })
      await expect(doomed).rejects.toThrow('rolled back')
      await notifyUntil(() => db.notify('end'), end)
      expect(listener.count()).toBe(before)

      const seen = listener.next().then(() => settings.get('committed'))
      await subject.store.transaction(async (tx) => {
        db.notify('commit')
        await tx.settings.set('committed', true)
      })
      expect(await seen).toBe(true)
      listener.leave()
      end.leave()
    })
  })
}

interface CountedListener {
  count(): number
  next(): Promise<void>
  leave(): void
}

export function countWakes(listen: (wake: () => void) => () => void): CountedListener {
  let count = 0
  let next = Promise.withResolvers<void>()
  const leave = listen(() => {
    count++
    next.resolve()
    next = Promise.withResolvers()
  })
  return { count: () => count, next: () => next.promise, leave }
}

/** Repeats the notification, because a notification before the listener is connected is lost. */
export async function notifyUntil(notify: () => void, listener: CountedListener): Promise<void> {
  const woken = listener.next()
  notify()
  const repeat = setInterval(notify, 200)
  await woken
  clearInterval(repeat)
  // More wake-ups of the same burst may still arrive.
  for (let quiet = 0, last = listener.count(); quiet < 5; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (listener.count() !== last) quiet = 0
    last = listener.count()
  }
}
