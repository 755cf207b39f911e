import { type Db, type Sql, sql } from '../../sql.ts'

/** Settings that can change while the server runs: a JSON value under a key such as `gateway.url`. */
export function createSettingsRepository(db: Db) {
  return {
    /** undefined when the setting was never set. The caller checks the shape: the store only checks that the value is JSON. */
    get: async <T>(key: string): Promise<T | undefined> => {
      const row = await db.get<{ value: string }>(sql`SELECT value FROM settings WHERE key = ${key}`)
      return row ? (JSON.parse(row.value) as T) : undefined
    },
    set: async (key: string, value: unknown) => {
      const text = JSON.stringify(value)
      if (text === undefined) throw new TypeError(`the setting ${key} has no JSON value; remove it instead`)
      await db.run(sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, ${text}, now_ms())
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        WHERE settings.value IS DISTINCT FROM excluded.value`)
    },
    remove: async (key: string) => (await db.run(sql`DELETE FROM settings WHERE key = ${key}`)) === 1,
    /** Resolves to the number of removed settings. */
    removePrefix: (prefix: string) => db.run(sql`DELETE FROM settings WHERE ${startsWith(prefix)}`),
    /** Ordered by key. */
    listPrefix: async <T>(prefix: string): Promise<{ key: string; value: T }[]> => {
      const rows = await db.all<{ key: string; value: string }>(
        sql`SELECT key, value FROM settings WHERE ${startsWith(prefix)} ORDER BY key`,
      )
      return rows.map((row) => ({ key: row.key, value: JSON.parse(row.value) as T }))
    },
  }
}

/** LIKE would ignore case on SQLite only, and would treat `_` in a key as a wildcard. */
function startsWith(prefix: string): Sql {
  return sql`substr(key, 1, ${[...prefix].length}) = ${prefix}`
}

/** The settings under a prefix. Keys are given without the prefix. */
export function settingsUnder(prefix: string, settings: ReturnType<typeof createSettingsRepository>) {
  return {
    get: <T>(key: string) => settings.get<T>(prefix + key),
    set: (key: string, value: unknown) => settings.set(prefix + key, value),
    remove: async (key: string) => void (await settings.remove(prefix + key)),
    removePrefix: async (more: string) => void (await settings.removePrefix(prefix + more)),
  }
}
