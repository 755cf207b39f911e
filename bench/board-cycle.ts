import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { openEventLog } from '../packages/server/src/live/event-log.ts'
import { createDb } from '../packages/server/src/store/create-db.ts'
import type { StatementKind } from '../packages/server/src/store/engine.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { createRepositories } from '../packages/server/src/store/repositories.ts'
import { openSqliteConnection, type SqliteConnection } from '../packages/server/src/store/sqlite/connection.ts'
import { createSqliteEngine } from '../packages/server/src/store/sqlite/sqlite-engine.ts'
import { createCycles, makeBoardFile } from './board-file.ts'
import type { Benchmark } from './harness.ts'

const CYCLES = 300

/** The creation, claim and completion of a task, against the same statements sent directly to the same file. */
export const boardCycle: Benchmark = {
  name: 'board-cycle',
  unit: 'tasks/s',
  bound: { atLeast: 0.4 },
  async open() {
    const place = await makeBoardFile()
    const scratch = await makeBoardFile()
    const store = await openStore({ sqliteFile: place.file })
    const log = await openEventLog(store)
    const cycles = createCycles(store, log)
    const bare = openBare(place.file)
    return {
      async value() {
        const start = performance.now()
        await cycles(CYCLES)
        return CYCLES / ((performance.now() - start) / 1000)
      },
      async baseline() {
        const sent = await recordCycles(scratch.file)
        const start = performance.now()
        for (const statement of sent) bare.send(statement)
        return CYCLES / ((performance.now() - start) / 1000)
      },
      async close() {
        bare.close()
        await log.close()
        await store.close()
        await place.remove()
        await scratch.remove()
      },
    }
  },
}

type Values = Parameters<SqliteConnection['execute']>[1]['values']

interface Sent {
  /** null = a statement without a result, such as BEGIN. */
  readonly kind: StatementKind | null
  readonly text: string
  readonly values: (string | number | bigint | null | Uint8Array)[]
}

/** The product's statements for the same number of cycles. The ids are new, so another file can replay them once. */
async function recordCycles(file: string): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const recorded = (connection: SqliteConnection): SqliteConnection => ({
    ...connection,
    execute(kind, query) {
      sent.push({ kind, text: query.text, values: bound(query.values) })
      return connection.execute(kind, query)
    },
    exec(text) {
      sent.push({ kind: null, text, values: [] })
      connection.exec(text)
    },
  })
  const [writer, reader] = [false, true].map((readOnly) => recorded(openSqliteConnection(file, { readOnly })))
  const db = createDb(
    createSqliteEngine({ file, writer: writer!, reader: reader!, retry: async (attempt) => attempt() }),
  )
  const repositories = createRepositories(db)
  const store = {
    db,
    ...repositories,
    transaction: <T>(fn: (tx: typeof repositories) => Promise<T>, lock?: string) =>
      db.transaction((tx) => fn(createRepositories(tx)), lock),
    snapshot: <T>(fn: (tx: typeof repositories) => Promise<T>) => db.snapshot((tx) => fn(createRepositories(tx))),
    close: () => db.close(),
  }
  // Readers of the event log read it later; their statements are not part of a cycle.
  const unread = { ...(await openEventLog(store)), wake: () => {} }
  sent.length = 0
  await createCycles(store, unread)(CYCLES)
  const cycles = [...sent]
  await unread.close()
  await store.close()
  return cycles
}

/** Binds values as the product does. */
function bound(values: Values): Sent['values'] {
  return values.map((value) => (Number.isInteger(value) ? BigInt(value as number) : value))
}

function openBare(file: string) {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('PRAGMA synchronous = NORMAL')
  database.function('now_ms', () => BigInt(Date.now()))
  const prepared = new Map<string, StatementSync>()
  return {
    send({ kind, text, values }: Sent): void {
      if (kind === null) {
        database.exec(text)
        return
      }
      let statement = prepared.get(text)
      if (!statement) {
        statement = database.prepare(text)
        prepared.set(text, statement)
      }
      statement[kind](...values)
    },
    close: () => database.close(),
  }
}
