import { migrate } from './migrations/migrate.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import type { Db } from './sql.ts'

export type { Repositories }

export interface Store extends Repositories {
  readonly db: Db
  /** `fn` may run again after a conflict, so it does nothing but call `tx`. */
  transaction<T>(fn: (tx: Repositories) => Promise<T>, lock?: string): Promise<T>
  /** One moment of the database, read only; writers go on. */
  snapshot<T>(fn: (tx: Repositories) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface StoreOptions {
  readonly sqliteFile: string
  /** A postgres:// or postgresql:// address; anything else means the file. */
  readonly databaseUrl?: string
}

/** Opens the database and brings its schema up to this build. Rejects with `store_unavailable` when it cannot be used. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const db = await openDb(options)
  try {
    await migrate(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return {
    db,
    ...createRepositories(db),
    transaction: (fn, lock) => db.transaction((tx) => fn(createRepositories(tx)), lock),
    snapshot: (fn) => db.snapshot((tx) => fn(createRepositories(tx))),
    close: () => db.close(),
  }
}

/** Loads only the engine that is used, which keeps the start quick. */
async function openDb({ sqliteFile, databaseUrl }: StoreOptions): Promise<Db> {
  if (databaseUrl !== undefined && /^postgres(ql)?:\/\//.test(databaseUrl)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(databaseUrl)
  }
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  return openSqlite(sqliteFile)
}
