import type { Store } from '../../packages/server/src/store/open-store.ts'
import { createRepositories } from '../../packages/server/src/store/repositories.ts'
import type { Db } from '../../packages/server/src/store/sql.ts'

/** A store on a database that is open already, such as one that dies. */
export function storeOn(db: Db): Store {
  return {
    db,
    ...createRepositories(db),
    transaction: (fn, lock) => db.transaction((tx) => fn(createRepositories(tx)), lock),
    snapshot: (fn) => db.snapshot((tx) => fn(createRepositories(tx))),
    close: () => db.close(),
  }
}
