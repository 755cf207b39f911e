import { describe, expect, it } from 'vitest'
import { sql } from '../sql.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export function describeSnapshots(createDatabase: CreateDatabase): void {
  describe('snapshots', () => {
    const subject = useStore(createDatabase)

    it('[ST20] a snapshot sees one moment while writers continue', async () => {
      const { store } = subject
      const appended = { count: 0 }
      let enough = false
      const append = async () => {
        while (!enough) {
          await store.transaction(async (tx) => {
            await tx.counters.next('appended')
            await tx.events.append({ type: 'moment', body: null, at: 0 })
          })
          appended.count++
        }
      }
      const until = async (count: number) => {
        while (appended.count < count) await new Promise((resolve) => setImmediate(resolve))
      }
      const writer = append()
      await until(3)
      for (let round = 0; round < 5; round++) {
        await store.snapshot(async (tx) => {
          const counted = await tx.counters.current('appended')
          await until(appended.count + 5)
          expect(await tx.events.lastSeq()).toBe(counted)
          expect(await tx.counters.current('appended')).toBe(counted)
        })
      }
      enough = true
      await writer
      expect(await store.events.lastSeq()).toBe(appended.count)
    })

    it('[ST21] a snapshot cannot be written to', async () => {
      const { db } = subject.store
      await db.snapshot(async (tx) => {
        await expect(tx.run(sql`DELETE FROM settings`)).rejects.toThrow(TypeError)
        await expect(tx.transaction(async () => {})).rejects.toThrow(TypeError)
      })
      const bySelect = db.snapshot((tx) => tx.get(sql`DELETE FROM events RETURNING seq`))
      await expect(bySelect).rejects.toThrow()
      expect(await subject.store.events.lastSeq()).toBeGreaterThan(0)
    })

    it('[ST14] the outer handle is refused inside a snapshot', async () => {
      const { store } = subject
      await store.snapshot(async () => {
        await expect(store.events.lastSeq()).rejects.toThrow(TypeError)
      })
    })
  })
}
