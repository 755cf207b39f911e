import type { Db } from './sql.ts'

export interface StoreOptions {
  readonly sqliteFile: string
  /** A postgres:// or postgresql:// address; anything else means the file. */
  readonly databaseUrl?: string
}

/** Opens the database as it is. Loads only the engine that is used, which keeps the start quick. */
export async function openDb({ sqliteFile, databaseUrl }: StoreOptions): Promise<Db> {
  if (databaseUrl !== undefined && /^postgres(ql)?:\/\//.test(databaseUrl)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(databaseUrl)
  }
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  return openSqlite(sqliteFile)
}
