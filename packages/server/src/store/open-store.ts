import { migrate } from './migrations/migrate.ts'
import { openDb, type StoreOptions } from './open-db.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import type { Db } from './sql.ts'

export type { Repositories, StoreOptions }

export interface Store extends Repositories {
  readonly db: Db
  /** `fn` can run again after a conflict, so it may only call `tx`. */
  transaction<T>(fn: (tx: Repositories) => Promise<T>, lock?: string): Promise<T>
  /** Reads one moment of the database and blocks no writer. */
  snapshot<T>(fn: (tx: Repositories) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Opens the database and migrates its schema to this build. Rejects with `store_unavailable` when it cannot be used. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const db = await openDb(options)
  try {
    await migrate(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return storeOn(db)
}

/** Creates a store on an open database that has this build's schema. */
export function storeOn(db: Db): Store {
  return {
    db,
    ...createRepositories(db),
    transaction: (fn, lock) => db.transaction((tx) => fn(createRepositories(tx)), lock),
    snapshot: (fn) => db.snapshot((tx) => fn(createRepositories(tx))),
    close: () => db.close(),
  }
}
