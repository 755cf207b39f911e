import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { homeFiles } from '../home.ts'
import { newPost } from '../store/contract/team-chat-contract.ts'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { migrate } from '../store/migrations/migrate.ts'
import { openStore, type Repositories, type Store } from '../store/open-store.ts'
import { type Db, raw, sql } from '../store/sql.ts'
import { takeHomeLock } from '../store/sqlite/home-lock.ts'
import { openSqlite } from '../store/sqlite/open-sqlite.ts'
import { type TestEngine, testEngines } from '../store/test-stores.ts'
import { MAX_BACKUP_FILE_BYTES } from './backup-format.ts'
import { restoreBackup } from './restore-backup.ts'
import { schemaTables } from './schema-tables.ts'
import { readTableShape } from './table-shape.ts'
import { writeBackup } from './write-backup.ts'

const engines = testEngines()
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-backup-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a home folder and an empty database. */
async function makePlace({ engine, createDatabase }: TestEngine) {
  const home = await temporaryFolder()
  let databaseUrl: string | null = null
  if (engine === 'postgres') {
    const database = await createDatabase()
    cleanups.push(database.dispose)
    databaseUrl = database.options.databaseUrl!
  }
  const open = async () => {
    const store = await openStore({ sqliteFile: homeFiles(home).database, databaseUrl: databaseUrl ?? undefined })
    cleanups.push(() => store.close())
    return store
  }
  return { home, databaseUrl, open }
}

/** Fills every table, with more events than fit on a page and the oldest pruned. */
async function fill(store: Store): Promise<void> {
  const { db, events, counters } = store
  await db.transaction(async (tx) => {
    await tx.run(sql`INSERT INTO agents (id, source_id, source_agent_id, name, is_default, team_id, participant_kind,
      runtime, created_at, status, status_at, updated_at) VALUES ('a1', 's', 'a1', ${'Ada "ü" 🦊\n\\'}, 1, NULL, 'agent', 'r', 1, 'idle', 1, ${2 ** 52})`)
    await tx.run(
      sql`INSERT INTO teams (id, name, lead_agent_id, created_at, updated_at) VALUES ('t1', 'Night', 'a1', 1, 2)`,
    )
    await tx.run(sql`UPDATE agents SET team_id = 't1'`)
    for (let revision = 1; revision <= 3; revision++) {
      await tx.run(sql`INSERT INTO agent_file_revisions (agent_id, name, revision, hash, content, author, created_at)
        VALUES ('a1', 'SOUL.md', ${revision}, 'h', ${'x'.repeat(200_000)}, 'operator', ${revision})`)
    }
    await tx.run(sql`INSERT INTO settings (key, value, updated_at) VALUES ('theme', '"dark"', 1)`)
    await tx.run(sql`INSERT INTO audit (id, at, actor, action, subject) VALUES ('u1', 1, 'operator', 'x', 'y')`)
  })
  await fillRuns(store)
  await fillBoard(db)
  await fillMcp(store)
  await fillRoom(store)
  for (let number = 0; number < 5; number++) await counters.next('task')
  for (let at = 1; at <= 260; at++) await events.append({ type: 'agent-removed', body: { at, text: 'é' }, at })
  await events.prune(130)
}

async function fillRuns({ runs, messages, attention, spend }: Repositories): Promise<void> {
  const place = { agentId: 'a1', sessionKey: 'main', model: null }
  const owner = { instance: 'home', leaseMs: 1000 }
  await runs.insert({ ...place, id: 'r1', teamId: 't1', runtime: 'r', prompt: 'Hi 🦊', owner, startedAt: 1 })
  await runs.appendEntries('r1', [
    { runId: 'r1', sessionId: null, ts: 1, seq: 1, type: 'reasoning-delta', message: 0, text: '\0é' },
  ])
  await messages.insert({
    ...place,
    id: 'm1',
    text: 'Hi',
    mode: 'steer',
    sender: 'operator',
    owner: 'home',
    createdAt: 1,
  })
  await attention.insert({
    id: 'i1',
    kind: 'notice',
    agentId: 'a1',
    runId: 'r1',
    subjectId: null,
    title: 'Read',
    detail: '',
    action: null,
    answers: ['dismiss'],
    createdAt: 1,
    expiresAt: null,
  })
  await spend.add('2024-05-01', ['server'], { usd: 1.5, inputTokens: 1, outputTokens: 2, modelCalls: 1 })
}

async function fillBoard(db: Db): Promise<void> {
  for (const id of ['k1', 'k2'])
    await db.run(sql`INSERT INTO tasks (id, team_id, title, body, status, position, priority, depth, source_kind,
      changes_files, attempts, open_blockers, unread_reports, created_at, updated_at)
      VALUES (${id}, 't1', 'Write', '', 'todo', 1, 0, 0, 'operator', 0, 0, 0, 0, 1, 1)`)
  await db.run(sql`INSERT INTO task_links (blocker_id, blocked_id, created_at) VALUES ('k1', 'k2', 1)`)
  await db.run(sql`INSERT INTO attempts (id, task_id, number, agent_id, state, owner_instance, lease_until, started_at)
    VALUES ('e1', 'k1', 1, 'a1', 'running', 'home', 9, 1)`)
  await db.run(sql`INSERT INTO task_reports (attempt_id, task_id, body, created_at) VALUES ('e1', 'k1', '{}', 1)`)
  await db.run(sql`INSERT INTO task_evidence (id, task_id, kind, at, body) VALUES ('v1', 'k1', 'note', 1, '{}')`)
  await db.run(sql`INSERT INTO task_comments (id, task_id, author_kind, body, created_at)
    VALUES ('c1', 'k1', 'operator', 'Good', 1)`)
}

async function fillMcp({ grants, memories, outsideTools }: Repositories): Promise<void> {
  const binding = { runId: 'r1', agentId: 'a1', teamId: 't1', roomId: null, taskId: null, tools: ['memory_save'] }
  await grants.insert({ ...binding, hash: 'h', issuer: 'i', createdAt: 1 })
  const author = { author: 'agent:a1', runId: 'r1', sourceKind: 'agent', trust: 'tool' }
  await memories.insert(
    { ...author, scope: 'team', agentId: null, teamId: 't1', text: 'Füchse jagen 🦊', createdAt: 1 },
    1,
  )
  await outsideTools.insertServer({ name: 's1', endpoint: 'https://tools.test/mcp', createdAt: 1, seenAt: 2 })
  await outsideTools.insert({
    id: 'o1',
    server: 's1',
    name: 'buy',
    descriptor: '{}',
    hash: 'h',
    findings: '[]',
    state: 'approved',
    reason: null,
    approvedDescriptor: '{}',
    approvedHash: 'h',
    approvedBy: 'operator',
    approvedAt: 3,
    createdAt: 1,
  })
}

async function fillRoom({ rooms, posts, exchanges, roomMembers, boardLines }: Repositories): Promise<void> {
  await rooms.ensure({ id: 'team:t1', teamId: 't1', at: 1 })
  await rooms.configure('team:t1', { turnCap: 3, wakesLeader: true })
  await rooms.nextSeq('team:t1', 3)
  for (let seq = 1; seq <= 3; seq++)
    await posts.insert(newPost(seq, { roomId: 'team:t1', teamId: 't1', to: ['a1'], turnKey: seq === 1 ? 'k' : null }))
  await exchanges.insert({ id: 'x1', roomId: 'team:t1', ordinal: 1, stimulusSeq: 1, state: {}, createdAt: 1 })
  await roomMembers.save({ roomId: 'team:t1', agentId: 'a1', cursorSeq: 2, summary: 'Said 🦊', updatedAt: 1 })
  for (const n of [1, 2, 3]) await boardLines.insert({ teamId: 't1', taskId: 'k1', action: 'a', text: `${n}`, at: n })
}

async function dump(db: Db): Promise<Record<string, unknown[]>> {
  const { tables } = schemaTables(MIGRATIONS)
  const contents: Record<string, unknown[]> = {}
  for (const table of tables) {
    const { primaryKey } = await readTableShape(db, table)
    const own = table === 'counters' ? raw("WHERE name NOT IN ('events', 'board_lines')") : raw('')
    contents[table] = await db.all(sql`SELECT * FROM ${raw(table)} ${own} ORDER BY ${raw(primaryKey.join(', '))}`)
  }
  return contents
}

async function backUp(store: Store, home: string): Promise<string> {
  const file = join(await temporaryFolder(), 'test.backup.gz')
  await writeBackup({ db: store.db, home, file })
  return file
}

async function filledBackup(): Promise<string> {
  const place = await makePlace(engines[0]!)
  const store = await place.open()
  await fill(store)
  return backUp(store, place.home)
}

async function tablesOf(db: Db): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    db.engine === 'sqlite'
      ? // SQLite also lists full-text indexes as tables; they are rebuilt from the rows.
        sql`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`
      : sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
  )
  return rows.map((row) => row.name)
}

describe.each(engines)('a backup on $engine', (engine) => {
  test('[CL25] a backup contains every table except the migrations', async () => {
    const { home, open } = await makePlace(engine)
    const store = await open()
    await fill(store)
    const file = await backUp(store, home)
    const lines = gunzipSync(await readFile(file))
      .toString('utf8')
      .trimEnd()
      .split('\n')
    const saved = new Set(lines.map((line) => JSON.parse(line)).map((line) => (Array.isArray(line) ? line[0] : null)))
    const known = (await tablesOf(store.db)).filter((table) => table !== 'migrations')
    expect(known.length).toBeGreaterThan(5)
    expect(known.filter((table) => !saved.has(table))).toEqual([])
  })

  test('[CL25] knows the tables of every version from its migrations', async () => {
    for (let count = 1; count <= MIGRATIONS.length; count++) {
      const { databaseUrl, home } = await makePlace(engine)
      const db = databaseUrl
        ? await (await import('../store/postgres/open-postgres.ts')).openPostgres(databaseUrl)
        : await openSqlite(homeFiles(home).database)
      cleanups.push(() => db.close())
      await migrate(db, MIGRATIONS.slice(0, count))
      const { tables } = schemaTables(MIGRATIONS.slice(0, count))
      expect([...tables, 'migrations'].toSorted()).toEqual(await tablesOf(db))
    }
  })
})

const pairs = engines.flatMap((from) => engines.map((to) => ({ from, to, name: `${from.engine} to ${to.engine}` })))

describe.each(pairs)('a backup from $name', ({ from, to }) => {
  test('[CL27] has the same rows after a restore, and the event log continues after its last number', async () => {
    const source = await makePlace(from)
    const before = await source.open()
    await fill(before)
    const file = await backUp(before, source.home)
    const target = await makePlace(to)
    await restoreBackup({ file, home: target.home, databaseUrl: target.databaseUrl, replace: false })
    const after = await target.open()
    expect(await dump(after.db)).toEqual(await dump(before.db))
    expect(await rowLines(await backUp(after, target.home))).toEqual(await rowLines(file))
    expect(await after.events.firstSeq()).toBe(131)
    expect(await after.events.append({ type: 'agent-removed', body: {}, at: 1 })).toBe(261)
    expect(await after.counters.next('task')).toBe(6)
    await after.boardLines.insert({ teamId: 't1', taskId: 'k1', action: 'a', text: '4', at: 4 })
    expect((await after.boardLines.take('t1', 9)).map(({ text }) => text)).toEqual(['1', '2', '3', '4'])
    expect(await after.rooms.nextSeq('team:t1')).toBe(4)
    expect(await after.memories.search(null, 'FUCHSE', 5)).toHaveLength(1)
  })

  test('[CL32] restores a backup of an older version and applies the later migrations', async () => {
    const source = await makePlace(from)
    const old = source.databaseUrl
      ? await (await import('../store/postgres/open-postgres.ts')).openPostgres(source.databaseUrl)
      : await openSqlite(homeFiles(source.home).database)
    cleanups.push(() => old.close())
    await migrate(old, MIGRATIONS.slice(0, 1))
    await old.run(sql`INSERT INTO teams (id, name, created_at, updated_at) VALUES ('t1', 'Night', 1, 2)`)
    const file = join(await temporaryFolder(), 'old.backup.gz')
    await writeBackup({ db: old, home: source.home, file })
    const target = await makePlace(to)
    await restoreBackup({ file, home: target.home, databaseUrl: target.databaseUrl, replace: false })
    const after = await target.open()
    expect((await after.teams.list()).map((team) => team.name)).toEqual(['Night'])
    expect(await after.events.append({ type: 'agent-removed', body: {}, at: 1 })).toBe(1)
  })
})

async function rowLines(file: string): Promise<string[]> {
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n')
  return lines.filter((line) => line.startsWith('['))
}

describe.each(engines.filter(({ engine }) => engine === 'postgres'))('a restore into $engine', (engine) => {
  test('[CL33] refuses a database with rows unless it may replace them, and leaves other tables alone', async () => {
    const file = await filledBackup()
    const { home, databaseUrl, open } = await makePlace(engine)
    const store = await open()
    await store.db.run(sql`INSERT INTO teams (id, name, created_at, updated_at) VALUES ('mine', 'Mine', 1, 2)`)
    await store.db.run(raw('CREATE TABLE of_others (id INTEGER PRIMARY KEY)'))
    await store.db.run(sql`INSERT INTO of_others (id) VALUES (7)`)
    await expect(restoreBackup({ file, home, databaseUrl, replace: false })).rejects.toMatchObject({
      code: 'request_invalid',
    })
    expect((await store.teams.list()).map((team) => team.id)).toEqual(['mine'])
    await store.close()
    await restoreBackup({ file, home, databaseUrl, replace: true })
    const after = await open()
    expect((await after.teams.list()).map((team) => team.id)).toEqual(['t1'])
    expect(await after.db.all(sql`SELECT id FROM of_others`)).toEqual([{ id: 7 }])
    // Foreign keys are enforced again.
    await expect(after.db.run(sql`UPDATE agents SET team_id = 'nowhere'`)).rejects.toMatchObject({
      kind: 'foreign-key',
    })
  })
})

describe('a restore', () => {
  test('[CL28] refuses a backup that is truncated, altered or extended, and changes nothing', async () => {
    const file = await filledBackup()
    const whole = await readFile(file)
    const text = gunzipSync(whole).toString('utf8')
    const lines = text.trimEnd().split('\n')
    const damaged: Buffer[] = [
      ...[0, 5, whole.length >> 1, whole.length - 9, whole.length - 1].map((length) => whole.subarray(0, length)),
      ...[12, whole.length >> 2, whole.length >> 1, whole.length - 5].map((place) => {
        const copy = Buffer.from(whole)
        copy[place]! ^= 0x41
        return copy
      }),
      gzipSync(text.replace('Night', 'Right')),
      gzipSync(lines.toSpliced(2, 1).join('\n').concat('\n')),
      gzipSync(lines.slice(0, -1).join('\n').concat('\n')),
      gzipSync(`${text}["teams",{}]\n`),
      gzipSync('not a backup\n'),
      Buffer.from('not gzip either'),
    ]
    const { home, open } = await makePlace(engines[0]!)
    await (await open()).close()
    const before = await fingerprint(home)
    for (const bytes of damaged) {
      const bad = join(dirname(file), 'bad.gz')
      await writeFile(bad, bytes)
      await expect(restoreBackup({ file: bad, home, databaseUrl: null, replace: false })).rejects.toMatchObject({
        code: 'backup_unreadable',
      })
      expect(await fingerprint(home)).toEqual(before)
    }
  })

  test('[CL28] refuses a backup of a newer version and names that version', async () => {
    const lines = gunzipSync(await readFile(await filledBackup()))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(0, -1)
    const header = { ...JSON.parse(lines[0]!), lastMigration: '9999-from-tomorrow', productVersion: '99.0.0' }
    const body = `${[JSON.stringify(header), ...lines.slice(1)].join('\n')}\n`
    const footer = { end: true, rows: {}, files: 0, sha256: createHash('sha256').update(body).digest('hex') }
    const file = join(await temporaryFolder(), 'newer.gz')
    await writeFile(file, gzipSync(`${body}${JSON.stringify(footer)}\n`))
    const home = await temporaryFolder()
    await expect(restoreBackup({ file, home, databaseUrl: null, replace: false })).rejects.toThrow('99.0.0')
  })

  test('[CL29] is refused while the home folder is in use', async () => {
    const file = await filledBackup()
    const home = await temporaryFolder()
    const lock = takeHomeLock(homeFiles(home).lock)!
    try {
      const restored = restoreBackup({ file, home, databaseUrl: null, replace: false })
      await expect(restored).rejects.toMatchObject({ code: 'server_running' })
    } finally {
      lock.release()
    }
    expect(existsSync(homeFiles(home).database)).toBe(false)
  })

  test('[CL30] keeps the old database with its write-ahead log, even when it cannot be opened', async () => {
    const file = await filledBackup()
    const home = await temporaryFolder()
    const { database } = homeFiles(home)
    await writeFile(database, 'this is no database at all')
    await writeFile(`${database}-wal`, 'nor is this a log')
    const { keptDatabase } = await restoreBackup({ file, home, databaseUrl: null, replace: false })
    expect(await readFile(keptDatabase!, 'utf8')).toBe('this is no database at all')
    expect(await readFile(`${keptDatabase}-wal`, 'utf8')).toBe('nor is this a log')
    const store = await openStore({ sqliteFile: database })
    cleanups.push(() => store.close())
    expect((await store.teams.list()).length).toBe(1)
  })

  test('[CL30] refuses to replace a database that another program still writes', async () => {
    const file = await filledBackup()
    const { home, open } = await makePlace(engines[0]!)
    const store = await open()
    await store.counters.next('task')
    await expect(restoreBackup({ file, home, databaseUrl: null, replace: false })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(await store.counters.next('task')).toBe(2)
  })

  test('[CL35] restores plain files of agents; leaves out links, large files and other data of a runtime', async () => {
    const source = await makePlace(engines[0]!)
    const outside = join(source.home, 'outside.txt')
    const agent = join(homeFiles(source.home).runtimes, 'some-runtime', 'a1')
    const workspace = join(agent, 'workspace')
    await mkdir(join(workspace, 'deep', 'er'), { recursive: true })
    await writeFile(join(workspace, 'deep', 'er', 'ünï.bin'), Buffer.from([0, 255, 10, 13]))
    await writeFile(join(workspace, 'run.sh'), '#!/bin/sh\n')
    await chmod(join(workspace, 'run.sh'), 0o700)
    await mkdir(join(agent, 'sessions'))
    await writeFile(join(agent, 'sessions', 'sessions.json'), '{"version":1}')
    await writeFile(join(agent, 'sessions', 'one.jsonl'), '{"type":"session"}\n')
    await symlink(outside, join(agent, 'sessions', 'two.jsonl'))
    await writeFile(join(agent, 'exec-approvals.json'), '[{"pattern":"ls"}]')
    await mkdir(join(agent, 'auth'))
    await writeFile(join(agent, 'auth', 'key.json'), 'canary-of-a-sign-in')
    await writeFile(join(agent, 'sign-in.json'), 'canary-of-a-runtime')
    await writeFile(outside, 'canary-outside')
    await symlink(outside, join(workspace, 'soft'))
    await symlink(agent, join(workspace, 'loop'))
    await link(outside, join(workspace, 'hard'))
    await writeFile(join(workspace, 'large'), '')
    await truncate(join(workspace, 'large'), MAX_BACKUP_FILE_BYTES + 1)
    const store = await source.open()
    const file = join(await temporaryFolder(), 'files.gz')
    const summary = await writeBackup({ db: store.db, home: source.home, file })
    expect(summary.files).toBe(5)
    expect(summary.leftOut.map((path) => path.split('/').at(-1))).toEqual([
      'two.jsonl',
      'hard',
      'large',
      'loop',
      'soft',
    ])
    expect(gunzipSync(await readFile(file)).toString('utf8')).not.toContain(
      Buffer.from('canary').toString('base64').slice(0, 7),
    )

    const home = await temporaryFolder()
    const stale = join(homeFiles(home).runtimes, 'some-runtime', 'a1')
    await mkdir(join(stale, 'workspace'), { recursive: true })
    await writeFile(join(stale, 'workspace', 'old.txt'), 'old')
    await mkdir(join(stale, 'sessions'))
    await writeFile(join(stale, 'sessions', 'later.jsonl'), 'later')
    await writeFile(join(stale, 'sign-in.json'), 'stays')
    const { keptWorkspaces } = await restoreBackup({ file, home, databaseUrl: null, replace: false })
    expect((await readdir(join(stale, 'workspace'))).toSorted()).toEqual(['deep', 'run.sh'])
    expect(await readFile(join(stale, 'workspace', 'deep', 'er', 'ünï.bin'))).toEqual(Buffer.from([0, 255, 10, 13]))
    expect((await stat(join(stale, 'workspace', 'run.sh'))).mode & 0o777).toBe(0o700)
    expect((await readdir(join(stale, 'sessions'))).toSorted()).toEqual(['one.jsonl', 'sessions.json'])
    expect(await readFile(join(stale, 'sessions', 'one.jsonl'), 'utf8')).toBe('{"type":"session"}\n')
    expect(await readFile(join(stale, 'exec-approvals.json'), 'utf8')).toBe('[{"pattern":"ls"}]')
    expect(await readFile(join(stale, 'sign-in.json'), 'utf8')).toBe('stays')
    expect(await readFile(join(keptWorkspaces!, 'some-runtime', 'a1', 'workspace', 'old.txt'), 'utf8')).toBe('old')
    expect(await readFile(join(keptWorkspaces!, 'some-runtime', 'a1', 'sessions', 'later.jsonl'), 'utf8')).toBe('later')
  })
})

test('[CL34] a backup is readable only by its owner, replaces no file and leaves nothing half written', async () => {
  const { home, open } = await makePlace(engines[0]!)
  const store = await open()
  const folder = await temporaryFolder()
  const file = join(folder, 'one.gz')
  await writeBackup({ db: store.db, home, file })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(writeBackup({ db: store.db, home, file })).rejects.toMatchObject({ code: 'path_refused' })
  await store.db.run(raw('DROP TABLE audit'))
  await expect(writeBackup({ db: store.db, home, file: join(folder, 'two.gz') })).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['one.gz'])
})

/** Returns every file of a folder with its content. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'hex')] as const)))
}
