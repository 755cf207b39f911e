import type { Db } from '../../packages/server/src/store/sql.ts'

/** When a process must die, counted in statements. */
export interface Death {
  readonly before: boolean
  isNext(): boolean
  now(): void
}

/**
 * A database whose process dies at a point: before a statement is sent, or after its response but before anyone sees
 * it.
 */
export function mortal(db: Db, die: Death): Db {
  const mark = async <T>(statement: () => Promise<T>): Promise<T> => {
    const isLast = die.isNext()
    if (isLast && die.before) die.now()
    const answer = await statement()
    if (isLast) die.now()
    return answer
  }
  return {
    ...db,
    all: (query) => mark(() => db.all(query)),
    get: (query) => mark(() => db.get(query)),
    run: (query) => mark(() => db.run(query)),
    transaction: (fn, lock) => db.transaction((tx) => fn(mortal(tx, die)), lock),
    snapshot: (fn) => db.snapshot((tx) => fn(mortal(tx, die))),
  }
}
