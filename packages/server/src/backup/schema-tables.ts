import type { Migration } from '../store/migrations/migration.ts'

/**
 * The schema that a list of migrations produces. Backups take their tables from here, so no new table can be forgotten.
 */
export interface SchemaTables {
  /** Every table but `migrations`, in the order of creation. */
  readonly tables: readonly string[]
  readonly functions: readonly string[]
  /** Columns that PostgreSQL fills from a counter and SQLite numbers itself. */
  readonly numbered: readonly NumberedColumn[]
}

interface NumberedColumn {
  readonly table: string
  readonly column: string
  /** The name of a row in `counters`. */
  readonly counter: string
}

export function schemaTables(migrations: readonly Migration[]): SchemaTables {
  const tables = new Map<string, readonly NumberedColumn[]>()
  const functions = new Set<string>()
  for (const statement of migrations.flatMap(postgresStatements)) {
    const [, made] = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/.exec(statement) ?? []
    if (made) tables.set(made, numberedColumns(made, statement))
    const [, dropped] = /^DROP TABLE (?:IF EXISTS )?(\w+)/.exec(statement) ?? []
    if (dropped) tables.delete(dropped)
    const [, from, to] = /^ALTER TABLE (\w+) RENAME TO (\w+)/.exec(statement) ?? []
    if (from && to) {
      const columns = tables.get(from) ?? []
      tables.delete(from)
      tables.set(
        to,
        columns.map((numbered) => ({ ...numbered, table: to })),
      )
    }
    const [, helper] = /^CREATE FUNCTION (\w+)/.exec(statement) ?? []
    if (helper) functions.add(helper)
  }
  return { tables: [...tables.keys()], functions: [...functions], numbered: [...tables.values()].flat() }
}

/** The migrations up to and including `lastId`; null when this version does not know it. */
export function migrationsUpTo(migrations: readonly Migration[], lastId: string): readonly Migration[] | null {
  const index = migrations.findIndex((migration) => migration.id === lastId)
  return index === -1 ? null : migrations.slice(0, index + 1)
}

/** The PostgreSQL form, because only that form names the counters. Both forms create the same tables. */
function postgresStatements({ up }: Migration): readonly string[] {
  return typeof up === 'function' ? up('postgres') : up
}

function numberedColumns(table: string, statement: string): NumberedColumn[] {
  const found = statement.matchAll(/(\w+) INTEGER[^,]*? DEFAULT next_seq\('(\w+)'\)/g)
  return [...found].map(([, column, counter]) => ({ table, column: column!, counter: counter! }))
}
