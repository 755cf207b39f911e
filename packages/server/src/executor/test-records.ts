import type { LiveEvent } from '@clawboo/api'
import { afterAll, beforeAll } from 'vitest'
import { type EventLog, openEventLog } from '../live/event-log.ts'
import { createLog } from '../log.ts'
import { createRecordChange, type RecordChange } from '../registry/record-change.ts'
import { openStore, type Store } from '../store/open-store.ts'
import type { TestDatabase } from '../store/test-stores.ts'

/** One server's access to a database: the store, the event log and the change recorder. */
export interface TestRecords {
  readonly store: Store
  readonly record: RecordChange
  readonly log: ReturnType<typeof createLog>
  /** The lines of the log. */
  readonly lines: string[]
  /** Every event of a type, oldest first. */
  events<T extends LiveEvent['type']>(type: T): Promise<Extract<LiveEvent, { type: T }>[]>
  /** The audit entries, oldest first. */
  audit(): Promise<{ actor: string; action: string; subject: string; detail: unknown }[]>
}

/** Opens the records of several servers on one new database. Read them inside tests only. */
export function useRecords(createDatabase: () => Promise<TestDatabase>, servers = 1): () => TestRecords[] {
  let database: TestDatabase
  const opened: { records: TestRecords; eventLog: EventLog }[] = []
  beforeAll(async () => {
    database = await createDatabase()
    for (let n = 0; n < servers; n++) opened.push(await openRecords(database))
  })
  afterAll(async () => {
    for (const { records, eventLog } of opened) {
      await eventLog.close()
      await records.store.close()
    }
    await database.dispose()
  })
  return () => opened.map(({ records }) => records)
}

async function openRecords(database: TestDatabase) {
  const store = await openStore(database.options)
  const eventLog = await openEventLog(store)
  const lines: string[] = []
  const records: TestRecords = {
    store,
    record: createRecordChange(store, eventLog),
    log: createLog('debug', (line) => lines.push(line)),
    lines,
    async events<T extends LiveEvent['type']>(type: T) {
      const all = (await store.events.after(0, 10_000)).map(({ body }) => JSON.parse(body) as LiveEvent)
      return all.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type)
    },
    audit: async () => (await store.audit.list({ limit: 200 })).reverse(),
  }
  return { records, eventLog }
}
