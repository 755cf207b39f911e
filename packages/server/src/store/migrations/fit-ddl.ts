import { type Db, raw, type Sql } from '../sql.ts'

/** Adapts a statement with the types INTEGER, REAL, TEXT and BLOB to the engine. Without STRICT, SQLite would store 'abc' in an INTEGER column. */
export function fitDdl(engine: Db['engine'], statement: string): Sql {
  if (engine === 'postgres')
    return raw(statement.replace(/\b(INTEGER|REAL|TEXT|BLOB)\b/g, (word) => POSTGRES_WORDS[word]!))
  return raw(/^CREATE TABLE\b/.test(statement) ? `${statement} STRICT` : statement)
}

const POSTGRES_WORDS: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
  // Without the collation, text would sort by the server's locale, unlike on SQLite.
  TEXT: 'TEXT COLLATE "C"',
  BLOB: 'BYTEA',
}
