import { AsyncLocalStorage } from 'node:async_hooks'
import type { Engine, Execute, StatementKind } from './engine.ts'
import { compile, type Db, type Sql } from './sql.ts'

/** Puts the port's promises on top of an engine: they hold the same way on both because they are written once, here. */
export function createDb(engine: Engine): Db {
  const inside = new AsyncLocalStorage<Scope>()
  const openScope = () => {
    const scope = inside.getStore()
    return scope?.open ? scope : undefined
  }

  const outside = async <T>(work: () => Promise<T>): Promise<T> => {
    // A statement on the outer handle would run beside the open transaction, and can wait for it for ever.
    if (openScope()) throw new TypeError('inside a transaction: use the handle it was given')
    try {
      return await work()
    } catch (error) {
      throw engine.translate(error)
    }
  }

  const runScope = async <T>(
    kind: Scope['kind'],
    fn: (tx: Db) => Promise<T>,
    execute: Execute,
  ): Promise<[T, Scope]> => {
    const scope: Scope = { kind, open: true, failure: undefined, wakes: new Set() }
    try {
      const result = await inside.run(scope, fn, createScopedDb(engine, scope, execute))
      if (scope.failure) throw scope.failure.error
      return [result, scope]
    } catch (error) {
      throw scope.failure ? scope.failure.error : error
    } finally {
      scope.open = false
    }
  }

  const send = (kind: StatementKind, query: Sql) =>
    outside(async () => engine.execute(kind, compile(query, engine.mark)))

  return {
    engine: engine.name,
    all: <T>(query: Sql) => send('all', query) as Promise<T[]>,
    get: <T>(query: Sql) => send('get', query) as Promise<T | undefined>,
    run: (query) => send('run', query) as Promise<number>,
    transaction: async (fn, lock) => {
      const [result, scope] = await outside(() =>
        engine.transaction((execute) => runScope('transaction', fn, execute), lock),
      )
      for (const channel of scope.wakes) engine.notify(channel)
      return result
    },
    snapshot: async (fn) => {
      const [result] = await outside(() => engine.snapshot((execute) => runScope('snapshot', fn, execute)))
      return result
    },
    notify: (channel) => {
      const scope = openScope()
      if (scope) scope.wakes.add(channel)
      else engine.notify(channel)
    },
    listen: (channel, wake) => engine.listen(channel, wake),
    close: () => engine.close(),
  }
}

/** One run of a transaction's or a snapshot's function. */
interface Scope {
  readonly kind: 'transaction' | 'snapshot'
  open: boolean
  failure: { readonly error: unknown } | undefined
  readonly wakes: Set<string>
}

function createScopedDb(engine: Engine, scope: Scope, execute: Execute): Db {
  const demandOpen = () => {
    if (!scope.open) throw new TypeError(`this ${scope.kind} has ended; its handle is of no use any more`)
    // PostgreSQL refuses everything after a failed statement; SQLite would carry on and commit half of the work.
    if (scope.failure) throw scope.failure.error
  }
  const demandWritable = () => {
    if (scope.kind === 'snapshot') throw new TypeError('a snapshot cannot be written to')
  }

  const send = async (kind: StatementKind, query: Sql): Promise<unknown> => {
    demandOpen()
    if (kind === 'run') demandWritable()
    const compiled = compile(query, engine.mark)
    try {
      return await execute(kind, compiled)
    } catch (error) {
      scope.failure ??= { error }
      throw error
    }
  }

  const handle: Db = {
    engine: engine.name,
    all: <T>(query: Sql) => send('all', query) as Promise<T[]>,
    get: <T>(query: Sql) => send('get', query) as Promise<T | undefined>,
    run: (query) => send('run', query) as Promise<number>,
    /** Joins the running transaction: it has no end of its own. */
    transaction: async (fn, lock) => {
      demandOpen()
      demandWritable()
      if (lock !== undefined) await engine.lock(execute, lock)
      return fn(handle)
    },
    snapshot: async () => {
      throw new TypeError(`a ${scope.kind} cannot open a snapshot`)
    },
    notify: (channel) => {
      demandOpen()
      scope.wakes.add(channel)
    },
    listen: (channel, wake) => engine.listen(channel, wake),
    close: async () => {
      throw new TypeError(`a ${scope.kind}'s handle closes nothing`)
    },
  }
  return handle
}
