import { type Db, raw, type Sql } from '../sql.ts'

/** Fits a statement written in INTEGER, REAL, TEXT and BLOB to the engine. STRICT, because SQLite would otherwise store 'abc' in an INTEGER column. */
export function fitDdl(engine: Db['engine'], statement: string): Sql {
  if (engine === 'postgres')
    return raw(statement.replace(/\b(INTEGER|REAL|TEXT|BLOB)\b/g, (word) => POSTGRES_WORDS[word]!))
  return raw(/^CREATE TABLE\b/.test(statement) ? `${statement} STRICT` : statement)
}

const POSTGRES_WORDS: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
  // Without it text would sort by the server's locale, and differently from SQLite.
  TEXT: 'TEXT COLLATE "C"',
  BLOB: 'BYTEA',
}
