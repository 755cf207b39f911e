import { type Db, type Sql, sql } from './sql.ts'

/** What a person may change while the server runs: a JSON value under a key such as `gateway.url`. */
export interface SettingsRepository {
  /** undefined when it was never set. The caller checks the shape; the database only knows that it is JSON. */
  get<T>(key: string): Promise<T | undefined>
  set(key: string, value: unknown): Promise<void>
  remove(key: string): Promise<boolean>
  /** Resolves to how many went. */
  removePrefix(prefix: string): Promise<number>
  /** In order of key. */
  listPrefix<T>(prefix: string): Promise<{ key: string; value: T }[]>
}

export function createSettingsRepository(db: Db): SettingsRepository {
  return {
    get: async <T>(key: string) => {
      const row = await db.get<{ value: string }>(sql`SELECT value FROM settings WHERE key = ${key}`)
      return row ? (JSON.parse(row.value) as T) : undefined
    },
    set: async (key, value) => {
      const text = JSON.stringify(value)
      if (text === undefined) throw new TypeError(`the setting ${key} has no JSON value; remove it instead`)
      await db.run(sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, ${text}, now_ms())
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        WHERE settings.value IS DISTINCT FROM excluded.value`)
    },
    remove: async (key) => (await db.run(sql`DELETE FROM settings WHERE key = ${key}`)) === 1,
    removePrefix: (prefix) => db.run(sql`DELETE FROM settings WHERE ${startsWith(prefix)}`),
    listPrefix: async <T>(prefix: string) => {
      const rows = await db.all<{ key: string; value: string }>(
        sql`SELECT key, value FROM settings WHERE ${startsWith(prefix)} ORDER BY key`,
      )
      return rows.map((row) => ({ key: row.key, value: JSON.parse(row.value) as T }))
    },
  }
}

/** Not LIKE: it ignores case on SQLite alone, and `_` in a key is a wildcard. */
function startsWith(prefix: string): Sql {
  return sql`substr(key, 1, ${[...prefix].length}) = ${prefix}`
}
