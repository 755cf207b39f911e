import { AsyncLocalStorage } from 'node:async_hooks'
import type { Engine, Execute, StatementKind } from './engine.ts'
import { compile, type Db, type Sql } from './sql.ts'

/** Implements the promises of the port on top of an engine, once for both engines. */
export function createDb(engine: Engine): Db {
  const inside = new AsyncLocalStorage<Scope>()
  const openScope = () => {
    const scope = inside.getStore()
    return scope?.open ? scope : undefined
  }

  const outside = async <T>(work: () => Promise<T>): Promise<T> => {
    // A statement on the outer handle would run outside the open transaction, and could wait for it forever.
    if (openScope()) throw new TypeError('inside a transaction, use the handle of the transaction')
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
    const scope: Scope = { kind, open: true, pending: new Set(), failure: undefined, wakes: new Set() }
    const result = await settleScope(scope, async () => inside.run(scope, fn, createScopedDb(engine, scope, execute)))
    return [result, scope]
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
      if (scope?.kind === 'transaction') scope.wakes.add(channel)
      else engine.notify(channel)
    },
    listen: (channel, wake) => engine.listen(channel, wake),
    close: () => engine.close(),
  }
}

/** One call of a transaction's or a snapshot's function. */
interface Scope {
  readonly kind: 'transaction' | 'snapshot'
  open: boolean
  readonly pending: Set<Promise<unknown>>
  failure: { readonly error: unknown } | undefined
  readonly wakes: Set<string>
}

/**
 * Waits for statements that the function did not await. The outcome is that of a failed statement, even when its error
 * was caught.
 */
async function settleScope<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work()])
  scope.open = false
  await Promise.allSettled(scope.pending)
  if (scope.failure) throw scope.failure.error
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

function createScopedDb(engine: Engine, scope: Scope, send: Execute): Db {
  const demandOpen = () => {
    if (!scope.open) throw new TypeError(`this ${scope.kind} has ended, so its handle cannot be used`)
    // PostgreSQL refuses every statement after a failed one. SQLite would continue and commit half of the work.
    if (scope.failure) throw scope.failure.error
  }
  const demandWritable = () => {
    if (scope.kind === 'snapshot') throw new TypeError('a snapshot cannot be written to')
  }

  const attempt: Execute = async (kind, query) => {
    try {
      return await send(kind, query)
    } catch (error) {
      scope.failure ??= { error }
      throw error
    }
  }
  const execute = async (kind: StatementKind, query: Sql): Promise<unknown> => {
    demandOpen()
    if (kind === 'run') demandWritable()
    return attempt(kind, compile(query, engine.mark))
  }
  const tracked = (kind: StatementKind, query: Sql): Promise<unknown> => {
    const sent = execute(kind, query)
    if (!scope.open) return sent
    const forget = () => scope.pending.delete(sent)
    scope.pending.add(sent)
    sent.then(forget, forget)
    return sent
  }

  const handle: Db = {
    engine: engine.name,
    all: <T>(query: Sql) => tracked('all', query) as Promise<T[]>,
    get: <T>(query: Sql) => tracked('get', query) as Promise<T | undefined>,
    run: (query) => tracked('run', query) as Promise<number>,
    /** Joins the running transaction, which commits later. */
    transaction: async (fn, lock) => {
      demandOpen()
      demandWritable()
      if (lock !== undefined) await engine.lock(attempt, lock)
      return fn(handle)
    },
    snapshot: async () => {
      throw new TypeError(`a ${scope.kind} cannot open a snapshot`)
    },
    notify: (channel) => {
      demandOpen()
      demandWritable()
      scope.wakes.add(channel)
    },
    listen: (channel, wake) => engine.listen(channel, wake),
    close: async () => {
      throw new TypeError(`the handle of a ${scope.kind} cannot close the database`)
    },
  }
  return handle
}
