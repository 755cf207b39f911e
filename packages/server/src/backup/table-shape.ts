import { type Db, sql } from '../store/sql.ts'

/** A table as the database describes it. */
interface TableShape {
  /** Empty when the table does not exist. */
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
}

export async function readTableShape(db: Db, table: string): Promise<TableShape> {
  const columns = await db.all<{ name: string; place: number }>(
    db.engine === 'sqlite'
      ? sql`SELECT name, pk AS place FROM pragma_table_info(${table}) ORDER BY cid`
      : sql`SELECT a.attname AS name, coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS place
          FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
          WHERE a.attrelid = to_regclass(${table}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  )
  const key = columns.filter((column) => column.place > 0).sort((a, b) => a.place - b.place)
  return { columns: columns.map((column) => column.name), primaryKey: key.map((column) => column.name) }
}
