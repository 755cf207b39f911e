import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { StoreOptions } from './open-store.ts'
import { freshPostgres } from './postgres/test-postgres.ts'

/** An empty database for one test file. */
export interface TestDatabase {
  readonly options: StoreOptions
  /** Close every store on the database first. */
  dispose(): Promise<void>
}

export interface TestEngine {
  readonly engine: 'sqlite' | 'postgres'
  createDatabase(): Promise<TestDatabase>
}

/** The engines that this run can test: `describe.each(testEngines())('... on $engine', ({ createDatabase }) => ...)`. */
export function testEngines(): TestEngine[] {
  const url = inject('postgresUrl')
  return [
    { engine: 'sqlite', createDatabase: createSqliteDatabase },
    ...(url === null ? [] : [{ engine: 'postgres' as const, createDatabase: () => createPostgresDatabase(url) }]),
  ]
}

export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-store-'))
  return {
    options: { sqliteFile: join(folder, 'clawboo.sqlite') },
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function createPostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const database = await freshPostgres(serverUrl)
  return { options: { sqliteFile: '', databaseUrl: database.url }, dispose: database.drop }
}
