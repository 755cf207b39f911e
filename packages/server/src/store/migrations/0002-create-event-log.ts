import type { Migration } from './migration.ts'

/**
 * The event log's numbers follow the order of commits, without gaps. SQLite has one writer at a time, so its own numbering
 * is enough. A PostgreSQL sequence would issue numbers before the commit, and a reader of the log would skip late commits.
 * The counter row makes each writer wait for the one before it.
 */
export const createEventLog: Migration = {
  id: '0002-create-event-log',
  up: (engine) => [
    'CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)',
    ...(engine === 'postgres' ? POSTGRES_FUNCTIONS : []),
    `CREATE TABLE events (
      seq ${engine === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : "INTEGER PRIMARY KEY DEFAULT next_seq('events')"},
      at INTEGER NOT NULL,
      type TEXT NOT NULL,
      body TEXT NOT NULL
    )`,
    `CREATE TABLE audit (
      id TEXT PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      run_id TEXT,
      detail TEXT
    )`,
  ],
}

/** `now_ms` is the current time, not the start of the transaction. On SQLite, the connection defines it. */
const POSTGRES_FUNCTIONS = [
  `CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'`,
  `CREATE FUNCTION next_seq(counter text) RETURNS bigint LANGUAGE sql VOLATILE AS
    'UPDATE counters SET value = value + 1 WHERE name = counter RETURNING value'`,
  "INSERT INTO counters (name, value) VALUES ('events', 0)",
]
