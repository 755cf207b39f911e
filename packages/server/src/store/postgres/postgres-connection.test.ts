import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { countWakes, notifyUntil } from '../contract/wakes-contract.ts'
import { openStore, type Store } from '../open-store.ts'
import { type Db, sql } from '../sql.ts'
import { createPostgresDatabase, type TestDatabase } from '../test-stores.ts'
import { openPostgres } from './open-postgres.ts'
import { startTestRelay, type TestRelay } from './test-relay.ts'

const serverUrl = inject('postgresUrl')
const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

/** `admin` connects to the server directly, `store` through a relay that can be cut. */
interface Connected {
  readonly url: string
  readonly store: Store
  readonly admin: Store
  readonly relay: TestRelay
}

describe.skipIf(serverUrl === null)('the PostgreSQL connection', () => {
  let database: TestDatabase
  const connected = {} as { -readonly [Key in keyof Connected]: Connected[Key] }
  beforeAll(async () => {
    database = await createPostgresDatabase(serverUrl!)
    connected.url = database.options.databaseUrl!
    connected.relay = await startTestRelay(connected.url)
    connected.admin = await openStore(database.options)
    connected.store = await openStore({ sqliteFile: '', databaseUrl: connected.relay.url })
  })
  afterAll(async () => {
    await Promise.all([connected.store?.close(), connected.admin?.close()])
    await connected.relay?.cut()
    await database?.dispose()
  })
  describeLoss(connected)
  describeOutage(connected)
  describeConflicts(connected)
})

const endBackend = (admin: Store, pid: number) =>
  admin.db.all(sql`SELECT pg_terminate_backend(CAST(${pid} AS INTEGER)) AS ended`)
const backendOf = async (db: Db) => (await db.get<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))!.pid
const put = (db: Db, key: string) => db.run(sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, '1', 0)`)

function describeLoss(connected: Connected): void {
  const whenLost: [string, (tx: Db, admin: Store) => Promise<unknown>][] = [
    [
      'in the middle of a statement',
      async (tx, admin) => {
        const pid = await backendOf(tx)
        const ended = turn().then(() => endBackend(admin, pid))
        await tx.all(sql`SELECT pg_sleep(30)`).finally(() => ended)
      },
    ],
    [
      'just before a statement',
      async (tx, admin) => endBackend(admin, await backendOf(tx)).then(() => put(tx, 'lost-2')),
    ],
    [
      'a while before a statement',
      async (tx, admin) =>
        endBackend(admin, await backendOf(tx))
          .then(pause)
          .then(() => put(tx, 'lost-3')),
    ],
    ['before the commit', async (tx, admin) => endBackend(admin, await backendOf(tx)).then(pause)],
  ]

  it.each(whenLost)(
    '[ST100] a connection lost %s ends the transaction with nothing written, and the next works',
    async (_when, lose) => {
      const { store, admin } = connected
      const before = (await admin.settings.listPrefix('lost')).length
      // Inside `store`'s transaction its outer handle is refused; `admin` is another database handle.
      const doomed = store.db.transaction(async (tx) => {
        await put(tx, 'lost-1')
        await lose(tx, admin)
      })
      await expect(doomed).rejects.toMatchObject({ code: 'store_unavailable', cause: expect.any(Error) })
      expect((await admin.settings.listPrefix('lost')).length).toBe(before)
      expect(await store.settings.get('lost-1')).toBeUndefined()
      await store.transaction((tx) => tx.settings.set('found', true))
    },
  )
}

function describeOutage(connected: Connected): void {
  it('[ST101] rejects every call with store_unavailable without its server, and works again when the server is back', async () => {
    const { store, relay } = connected
    await relay.cut()
    await expect(store.settings.get('x')).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.transaction((tx) => tx.settings.set('x', 1))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await expect(openStore({ sqliteFile: '', databaseUrl: relay.url })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await relay.mend()
    await Promise.all(Array.from({ length: 16 }, (_, n) => store.settings.set(`back-${n}`, n)))
    expect(await store.settings.listPrefix('back-')).toHaveLength(16)
  })

  it('[ST102] reopens a lost listening connection, wakes its listeners, and receives later notifications', async () => {
    const { store, admin, relay } = connected
    const listener = countWakes((wake) => store.db.listen('feed', wake))
    await notifyUntil(() => admin.db.notify('feed'), listener)

    const rewoken = listener.next()
    const pids = await admin.db.all<{ pid: number }>(
      sql`SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    )
    for (const { pid } of pids) await endBackend(admin, pid)
    await rewoken
    await notifyUntil(() => admin.db.notify('feed'), listener)

    await relay.cut()
    await pause()
    const back = listener.next()
    await relay.mend()
    await back
    await notifyUntil(() => admin.db.notify('feed'), listener)
    listener.leave()
  })

  it('[ST103] a notification reaches listeners in other processes on the database', async () => {
    const { store, admin } = connected
    const listener = countWakes((wake) => admin.db.listen('across', wake))
    await notifyUntil(() => store.db.notify('across'), listener)
    listener.leave()
  })

  it('[ST104] rejects an unusable address with store_unavailable and keeps its password out of the message', async () => {
    const wrong = new URL(connected.url)
    wrong.pathname = '/no_such_database'
    for (const databaseUrl of [
      wrong.href,
      'postgres://someone:hush@127.0.0.1:1/x',
      'postgres://someone:hush@nowhere.invalid/x',
    ]) {
      const refusal = await openStore({ sqliteFile: '', databaseUrl }).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ code: 'store_unavailable', cause: expect.anything() })
      expect(String(refusal)).not.toContain('hush')
    }
  })
}

function describeConflicts(connected: Connected): void {
  it('[ST105] runs a transaction that lost a deadlock again from its start, and both commit', async () => {
    const { admin, store } = connected
    for (const key of ['left', 'right']) await admin.settings.set(key, 0)
    const bothStarted = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    const cross = (from: Store, mine: number, first: string, second: string) =>
      from.db.transaction(async (tx) => {
        runs++
        await tx.run(sql`UPDATE settings SET updated_at = updated_at + 1 WHERE key = ${first}`)
        bothStarted[mine]!.resolve()
        await Promise.all(bothStarted.map(({ promise }) => promise))
        await tx.run(sql`UPDATE settings SET updated_at = updated_at + 1 WHERE key = ${second}`)
      })
    await admin.db.run(sql`UPDATE settings SET updated_at = 0`)
    await Promise.all([cross(admin, 0, 'left', 'right'), cross(store, 1, 'right', 'left')])
    expect(runs).toBe(3)
    const counts = await admin.db.all<{ n: number }>(
      sql`SELECT updated_at AS n FROM settings WHERE key IN ('left', 'right') ORDER BY key`,
    )
    expect(counts.map(({ n }) => n)).toEqual([2, 2])
  })

  it('[ST106] rejects a transaction that never gets its lock with store_unavailable', async () => {
    const impatient = await openPostgres(connected.url, { conflictDeadlineMs: 50 })
    const refusal = connected.admin.transaction(
      async () => impatient.transaction(async () => {}, 'contested').catch((error: unknown) => error),
      'contested',
    )
    expect(await refusal).toMatchObject({ code: 'store_unavailable' })
    await impatient.transaction(async () => {}, 'contested')
    await impatient.close()
  })

  it('[ST107] completes more transactions at once than there are connections', async () => {
    const { store } = connected
    const work = Array.from({ length: 40 }, (_, n) => store.transaction((tx) => tx.settings.set(`crowd-${n}`, n)))
    await Promise.all(work)
    expect(await store.settings.listPrefix('crowd-')).toHaveLength(40)
  })
}

async function pause(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn()
}
