import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_COLUMN_OWNERS, OWN_SOURCE_ID } from '@clawboo/core/registry'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDb } from '../open-db.ts'
import { openStore } from '../open-store.ts'
import { type Db, raw, sql } from '../sql.ts'
import { type TestDatabase, testEngines } from '../test-stores.ts'
import { MIGRATIONS } from './index.ts'
import { migrate } from './migrate.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const appliedIds = async (db: Db) =>
  (await db.all<{ id: string }>(sql`SELECT id FROM migrations ORDER BY id`)).map(({ id }) => id)

describe('migrations', () => {
  it('[ST80] the list has the files of the folder, in order', () => {
    const files = readdirSync(import.meta.dirname).filter((file) => /^\d{4}-.*\.ts$/.test(file))
    expect(MIGRATIONS.map(({ id }) => `${id}.ts`)).toEqual(files.sort())
  })
})

/** Creates a new database for each test and closes every handle on it afterwards. */
function useDatabase(createDatabase: () => Promise<TestDatabase>) {
  let database: TestDatabase
  const opened: Db[] = []
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
    await database.dispose()
  })
  return {
    get options() {
      return database.options
    },
    async open() {
      const db = await openDb(database.options)
      opened.push(db)
      return db
    },
  }
}

describe.each(testEngines())('migrations on $engine', ({ createDatabase }) => {
  const database = useDatabase(createDatabase)

  it.each(MIGRATIONS.map((_, index) => index))(
    '[ST81] a database after %i steps migrates to the newest step and keeps its rows',
    async (steps) => {
      const db = await database.open()
      await migrate(db, MIGRATIONS.slice(0, steps))
      if (steps > 0) await db.run(sql`INSERT INTO settings (key, value, updated_at) VALUES ('kept', '1', 1)`)
      expect(await migrate(db)).toEqual(MIGRATIONS.slice(steps).map(({ id }) => id))
      expect(await migrate(db)).toEqual([])
      const store = await openStore(database.options)
      expect(await store.settings.get('kept')).toBe(steps > 0 ? 1 : undefined)
      await store.close()
    },
  )

  it('[ST125] people of an earlier build belong to Clawboo’s own source afterwards, and no other row changes', async () => {
    const db = await database.open()
    const at = MIGRATIONS.findIndex(({ id }) => id === '0011-own-source')
    await migrate(db, MIGRATIONS.slice(0, at))
    for (const [id, sourceId] of [
      ['robin', 'human'],
      ['ada', OWN_SOURCE_ID],
      ['moss', 'elsewhere'],
    ] as const)
      await db.run(sql`INSERT INTO agents
        (id, source_id, source_agent_id, is_default, status, status_at, participant_kind, runtime, created_at, updated_at)
        VALUES (${id}, ${sourceId}, ${id}, ${0}, 'idle', 1, ${id === 'robin' ? 'human' : 'agent'}, ${sourceId}, 1, 1)`)
    await migrate(db)
    const rows = await db.all<object>(sql`SELECT id, source_id, runtime, updated_at FROM agents ORDER BY id`)
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'ada', sourceId: OWN_SOURCE_ID, runtime: OWN_SOURCE_ID, updatedAt: 1 },
      { id: 'moss', sourceId: 'elsewhere', runtime: 'elsewhere', updatedAt: 1 },
      { id: 'robin', sourceId: OWN_SOURCE_ID, runtime: 'human', updatedAt: 1 },
    ])
  })

  it('[ST126] attempts of an earlier build keep their rows, their reports and their events under the new name', async () => {
    const db = await database.open()
    const at = MIGRATIONS.findIndex(({ id }) => id === '0012-attempts')
    await migrate(db, MIGRATIONS.slice(0, at))
    const reason = 'It prints {"executionId":1}'
    const body = JSON.stringify({ executionId: 'x1', attempt: 1, outcome: 'released', reason, costUsd: 2, at: 3 })
    for (const statement of [
      sql`INSERT INTO teams (id, name, created_at, updated_at) VALUES ('team', 'Team', 1, 1)`,
      sql`INSERT INTO tasks (id, team_id, title, body, status, position, priority, depth, source_kind, changes_files, attempts,
        open_blockers, unread_reports, execution_id, created_at, updated_at)
        VALUES ('t1', 'team', 'T', '', 'in_progress', 1, 1, 0, 'user', 0, 1, 0, 1, 'x1', 1, 1)`,
      sql`INSERT INTO executions (id, task_id, attempt, agent_id, state, owner_instance, lease_until, started_at)
        VALUES ('x1', 't1', 1, 'ada', 'running', 'home', 9, 1)`,
      sql`INSERT INTO task_reports (execution_id, task_id, body, created_at) VALUES ('x1', 't1', ${body}, 3)`,
      sql`INSERT INTO task_evidence (id, task_id, kind, at, body, execution_id) VALUES ('e1', 't1', 'check', 2, '{}', 'x1')`,
      sql`INSERT INTO events (at, type, body) VALUES (1, 'task-changed', ${'{"task":{"executionId":"x1"}}'})`,
    ])
      await db.run(statement)
    await migrate(db)
    const store = await openStore(database.options)
    expect(await store.tasks.get('t1')).toMatchObject({ attemptId: 'x1', attempts: 1 })
    expect(await store.attempts.get('x1')).toMatchObject({ taskId: 't1', number: 1, state: 'running' })
    const report = { attemptId: 'x1', attempt: 1, outcome: 'released', reason, costUsd: 2, at: 3 }
    expect((await store.taskReports.get('x1'))?.report).toEqual(report)
    expect(await db.get(sql`SELECT attempt_id FROM task_evidence`)).toMatchObject({ attemptId: 'x1' })
    expect((await store.events.after(0, 9)).map(({ body }) => body)).toEqual(['{"task":{"attemptId":"x1"}}'])
    await db.run(sql`DELETE FROM tasks`)
    expect(await store.taskReports.get('x1')).toBeNull()
    await store.close()
  })

  it('[ST84] exactly one of six servers that start at once runs the steps', async () => {
    const dbs = await Promise.all(Array.from({ length: 6 }, database.open))
    const applied = await Promise.all(dbs.map((db) => migrate(db)))
    expect(applied.filter((ids) => ids.length > 0)).toEqual([MIGRATIONS.map(({ id }) => id)])
  })

  it('[ST85] a database of a newer build is refused, the error names the unknown step, and the database stays unchanged', async () => {
    const db = await database.open()
    await migrate(db, MIGRATIONS.slice(0, 1))
    await db.run(sql`INSERT INTO migrations (id, at) VALUES ('9000-from-the-future', 1)`)
    await expect(openStore(database.options)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('9000-from-the-future'),
    })
    expect(await appliedIds(db)).toEqual([MIGRATIONS[0]!.id, '9000-from-the-future'])
  })

  it('[ST86] a failed step leaves the database unchanged', async () => {
    const db = await database.open()
    const broken = {
      id: '9999-broken',
      up: ['CREATE TABLE half (id TEXT PRIMARY KEY)', 'CREATE TABLE half (id TEXT PRIMARY KEY)'],
    }
    await expect(migrate(db, [...MIGRATIONS, broken])).rejects.toThrow()
    expect(await migrate(db)).toEqual(MIGRATIONS.map(({ id }) => id))
  })

  it('[ST87] every column of the agents table has an owner, and every owned column exists', async () => {
    const db = await database.open()
    await migrate(db)
    const columns = (await schema(db)).filter((column) => column.startsWith('agents.'))
    expect(columns.map((column) => column.slice('agents.'.length).split(' ')[0]).sort()).toEqual(
      Object.keys(AGENT_COLUMN_OWNERS).sort(),
    )
  })
})

describe.each(testEngines())('databases of releases on $engine', ({ engine, createDatabase }) => {
  const database = useDatabase(createDatabase)
  const fixtures = globSync(`*-${engine}.sql`, { cwd: FIXTURES })
  it.each(fixtures)('[ST82] the database of a release (%s) upgrades and keeps its rows', async (fixture) => {
    const db = await database.open()
    await load(db, join(FIXTURES, fixture))
    const store = await openStore(database.options)
    expect(await store.agents.get('agent-1')).toMatchObject({
      displayName: 'Uno',
      emoji: '👻',
      isDefault: true,
      execConfig: { model: 'x' },
    })
    expect(await store.agents.get('agent-2')).toMatchObject({ displayName: 'two', status: 'archived' })
    expect(await store.teams.get('team-1')).toMatchObject({ name: 'Writers', agentCount: 1 })
    expect(await store.agentFiles.latest('agent-1', 'SOUL.md')).toMatchObject({ content: 'x', revision: 1 })
    expect(await store.settings.get('ui.theme')).toBe('dark')
    expect(await store.counters.next('tasks')).toBe(8)
    expect(await store.audit.list({ limit: 9 })).toHaveLength(1)
    expect(await store.events.append({ type: 'x', body: null, at: 3 })).toBe(3)
    await store.close()
  })

  it.each(fixtures)('[ST83] the steps of a release (%s) still create the same schema', async (fixture) => {
    const released = await database.open()
    await load(released, join(FIXTURES, fixture))
    const known = await appliedIds(released)
    const other = await createDatabase()
    const rebuilt = await openDb(other.options)
    await migrate(
      rebuilt,
      MIGRATIONS.filter(({ id }) => known.includes(id)),
    )
    expect(await schema(rebuilt)).toEqual(await schema(released))
    await rebuilt.close()
    await other.dispose()
  })
})

async function load(db: Db, file: string): Promise<void> {
  for (const statement of readFileSync(file, 'utf8').split(/;\n\n|;\n$/)) {
    if (statement.trim()) await db.run(raw(statement))
  }
}

/** Every column as `table.column type nullable default`. */
async function schema(db: Db): Promise<string[]> {
  const columns =
    db.engine === 'sqlite'
      ? raw(`SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '') AS line
          FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`)
      : raw(`SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
          AS line FROM information_schema.columns WHERE table_schema = 'public'`)
  const indexes =
    db.engine === 'sqlite'
      ? raw(`SELECT tbl_name || ': ' || coalesce(sql, name) AS line FROM sqlite_schema WHERE type = 'index'`)
      : raw(`SELECT tablename || ': ' || indexdef AS line FROM pg_indexes WHERE schemaname = 'public'`)
  const lines = [...(await db.all<{ line: string }>(columns)), ...(await db.all<{ line: string }>(indexes))]
  return lines.map(({ line }) => line).sort()
}
