import type { Db } from './sql.ts'

export interface StoreOptions {
  readonly sqliteFile: string
  /** A postgres:// or postgresql:// address. Any other value means the SQLite file. */
  readonly databaseUrl?: string
}

/** Opens the database without migrating it. Loads only the engine that is used, so that the start is fast. */
export async function openDb({ sqliteFile, databaseUrl }: StoreOptions): Promise<Db> {
  if (databaseUrl !== undefined && /^postgres(ql)?:\/\//.test(databaseUrl)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(databaseUrl)
  }
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  return openSqlite(sqliteFile)
}
