import { afterAll, beforeAll } from 'vitest'
import { openStore, type Store, type StoreOptions } from '../open-store.ts'
import type { TestDatabase } from '../test-stores.ts'

export type CreateDatabase = () => Promise<TestDatabase>

/** Opens a store on a new database for the tests of one `describe`. Read its fields inside tests only. */
export function useStore(createDatabase: CreateDatabase): { readonly store: Store; readonly options: StoreOptions } {
  let database: TestDatabase | undefined
  let store: Store | undefined
  beforeAll(async () => {
    database = await createDatabase()
    store = await openStore(database.options)
  })
  afterAll(async () => {
    await store?.close()
    await database?.dispose()
  })
  return {
    get store() {
      return store!
    },
    get options() {
      return database!.options
    },
  }
}
