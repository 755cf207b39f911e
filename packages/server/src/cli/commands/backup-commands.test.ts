import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { createClient } from '@clawboo/api/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isSoak, testSeed } from '../../../../../test/seed.ts'
import { readToken } from '../../access/operator-token.ts'
import { openVault } from '../../access/vault.ts'
import { readBackup } from '../../backup/read-backup.ts'
import { homeFiles, readServerNote } from '../../home.ts'
import { openStore } from '../../store/open-store.ts'
import { sql } from '../../store/sql.ts'
import { quickCheck } from '../../store/sqlite/quick-check.ts'
import { testEngines } from '../../store/test-stores.ts'
import { createTestHome, finished, type TestHome } from '../test-clawboo.ts'

const EVENTS = 5000
const ROUNDS = isSoak ? 40 : 3

let place: TestHome
let folder: string
beforeEach(async () => {
  place = await createTestHome()
  folder = await mkdtemp(join(tmpdir(), 'clawboo-kept-'))
})
afterEach(async () => {
  await place.dispose()
  await rm(folder, { recursive: true, force: true })
})

async function clientOf({ home }: TestHome) {
  const note = await readServerNote(home)
  return createClient({ baseUrl: note!.url, token: (await readToken(homeFiles(home).token))! })
}

test('[CL26] takes a consistent backup while Boos are created: every Boo comes with its event', async () => {
  await place.clawboo(['start', '--detach'])
  const client = await clientOf(place)
  await client.createAgent({ body: { name: 'First' } })
  let going = true
  const writers = [0, 1, 2].map(async (writer) => {
    for (let made = 0; going; made++) await client.createAgent({ body: { name: `Boo ${writer}-${made}` } })
  })
  const backups = [join(folder, 'one.gz'), join(folder, 'two.gz')]
  for (const file of backups) expect((await place.clawboo(['backup', file])).code).toBe(0)
  going = false
  await Promise.all(writers)
  for (const file of backups) {
    const agents = new Set<unknown>()
    const announced = new Set<unknown>()
    const seqs: number[] = []
    for await (const entry of readBackup(file)) {
      if (entry.kind !== 'row') continue
      if (entry.table === 'agents') agents.add(entry.row.id)
      if (entry.table === 'events') {
        seqs.push(entry.row.seq as number)
        const body = JSON.parse(entry.row.body as string)
        if (body.type === 'agent-upserted') announced.add(body.agent.id)
      }
    }
    expect(agents.size).toBeGreaterThan(0)
    expect(announced).toEqual(agents)
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index))
  }
})

test('[CL24] writes neither the token nor the vault into a backup, the output or a log', async () => {
  const canary = 'canary-0123456789-secret'
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await place.clawboo(args)
    return stdout + stderr
  }
  let seen = await run('start', '--detach')
  await (await openVault(place.home, null)).store('API_KEY', canary)
  const token = await readToken(homeFiles(place.home).token)
  const masterKey = (await readFile(join(place.home, 'secrets', 'master.key'), 'utf8')).trim()
  for (const args of [
    'status',
    'doctor',
    'agents create Ada',
    'agents',
    'teams',
    'token link',
    'stop',
    'start --detach',
  ])
    seen += await run(...args.split(' '))
  const file = join(folder, 'b.gz')
  seen += await run('backup', file)
  seen += gunzipSync(await readFile(file)).toString('utf8')
  seen += await readFile(join(place.home, 'logs', 'server.log'), 'utf8')
  for (const secret of [canary, token!, masterKey]) {
    expect(seen).not.toContain(secret)
    expect(seen).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
  }
})

test.each(testEngines())(
  '[CL27] moves a home by backup and restore to $engine, and its feed continues',
  async (engine) => {
    await place.clawboo(['start', '--detach'])
    await place.clawboo(['teams', 'create', 'Night'])
    await place.clawboo(['agents', 'create', 'Ada', '--team', 'Night'])
    await place.clawboo(['agents', 'file', 'Ada', 'SOUL.md', '--set', '-'], { input: 'calm' })
    const saved = await place.clawboo(['backup', '--json'])
    const { file } = saved.json<{ file: string }>()
    expect((await readdir(join(place.home, 'backups'))).map((name) => join(place.home, 'backups', name))).toEqual([
      file,
    ])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { lastEventId } = await (await clientOf(place)).getStatus({})
    const database = await engine.createDatabase()
    const other = await createTestHome(
      database.options.databaseUrl ? { CLAWBOO_DATABASE_URL: database.options.databaseUrl } : {},
    )
    try {
      expect((await other.clawboo(['restore', file])).code).toBe(2)
      expect(await other.clawboo(['restore', file, '--yes'])).toMatchObject({ code: 0, stderr: '' })
      expect(await other.clawboo(['start', '--detach'])).toMatchObject({ code: 0 })
      expect(await other.clawboo(['agents', 'file', 'Ada', 'SOUL.md'])).toMatchObject({ code: 0, stdout: 'calm' })
      expect((await other.clawboo(['doctor'])).stdout).toMatch(/^ok +migrations /m)
      const client = await clientOf(other)
      expect(await client.getStatus({})).toMatchObject({ lastEventId, engine: engine.engine })
      await client.createTeam({ body: { name: 'Day' } })
      expect(Number((await client.getStatus({})).lastEventId)).toBe(Number(lastEventId) + 1)
      expect((await other.clawboo(['backup'])).code).toBe(0)
    } finally {
      await other.dispose()
      await database.dispose()
    }
  },
)

test('[CL29] refuses to restore while the server is running', async () => {
  await place.clawboo(['start', '--detach'])
  const file = join(folder, 'b.gz')
  await place.clawboo(['backup', file])
  await place.clawboo(['agents', 'create', 'Newer'])
  const refused = await place.clawboo(['restore', file, '--yes', '--json'])
  expect(refused.code).toBe(3)
  expect(refused.json()).toMatchObject({ error: { code: 'server_running' } })
  expect((await place.clawboo(['agents', 'show', 'Newer'])).code).toBe(0)
})

test('[CL30] keeps the whole database that a restore replaces, including what a killed server left in its write-ahead log', async () => {
  const { pid } = (await place.clawboo(['start', '--detach', '--json'])).json<{ pid: number }>()
  const file = join(folder, 'empty.gz')
  expect(await place.clawboo(['backup', file])).toMatchObject({ code: 0, stderr: '' })
  expect(await place.clawboo(['agents', 'create', 'Late'])).toMatchObject({ code: 0, stderr: '' })
  process.kill(pid, 'SIGKILL')
  while ((await place.clawboo(['status', '--json'])).json().state !== 'stopped') await sleep(20)
  const restored = await place.clawboo(['restore', file, '--yes', '--json'])
  expect(restored).toMatchObject({ code: 0 })
  const { keptDatabase } = restored.json<{ keptDatabase: string }>()
  const [old, now] = await Promise.all([agentNames(keptDatabase), agentNames(homeFiles(place.home).database)])
  expect([old, now]).toEqual([['Late'], []])
})

test('[CL31] leaves either the old database or the new one when a restore is killed at any moment', async () => {
  const { database } = homeFiles(place.home)
  const store = await openStore({ sqliteFile: database })
  await store.teams.insert(team('new'))
  await store.db.transaction(async (tx) => {
    for (let at = 1; at <= EVENTS; at++)
      await tx.run(sql`INSERT INTO events (at, type, body) VALUES (${at}, 'agent-removed', ${JSON.stringify({ at })})`)
  })
  const file = join(folder, 'new.gz')
  await store.close()
  expect((await place.clawboo(['backup', file])).code).toBe(0)
  const startedAt = performance.now()
  expect((await finished(place.launch(['restore', file, '--yes']))).code).toBe(0)
  const fullMs = performance.now() - startedAt

  const random = seededRandom(testSeed)
  const outcomes: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const ending of ['', '-wal', '-shm']) await rm(database + ending, { force: true })
    const old = await openStore({ sqliteFile: database })
    await old.teams.insert(team('old'))
    await old.close()
    const child = place.launch(['restore', file, '--yes'])
    const exited = once(child, 'exit')
    await sleep(fullMs * (0.3 + 0.75 * random()))
    child.kill('SIGKILL')
    await exited
    expect(quickCheck(database)).toEqual([])
    const after = await openStore({ sqliteFile: database })
    const [found] = await after.teams.list()
    expect([found?.id, await after.events.lastSeq()], `seed ${testSeed}`).toEqual(
      found?.id === 'new' ? ['new', EVENTS] : ['old', 0],
    )
    await after.close()
    outcomes.push(found!.id)
  }
  expect(outcomes).toHaveLength(ROUNDS)
  expect((await place.clawboo(['restore', file, '--yes'])).code).toBe(0)
  expect((await readdir(place.home)).filter((name) => name.includes('restoring'))).toEqual([])
})

function team(id: string) {
  const record = { id, name: id, description: null, leadAgentId: null, tenantId: null, archivedAt: null }
  return { ...record, agentCount: 0, createdAt: 1, updatedAt: 1 }
}

async function agentNames(sqliteFile: string): Promise<(string | null)[]> {
  const store = await openStore({ sqliteFile })
  try {
    return (await store.db.all<{ name: string | null }>(sql`SELECT name FROM agents`)).map((row) => row.name)
  } finally {
    await store.close()
  }
}

function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}
