import type { CompiledSql } from './sql.ts'

export type StatementKind = 'all' | 'get' | 'run'

/** Sends one statement over one connection: rows for `all`, a row or undefined for `get`, a count of written rows for `run`. */
export type Execute = (kind: StatementKind, query: CompiledSql) => Promise<unknown>

/**
 * What `createDb` needs from a database. Errors leave it raw, so that a conflict can be told from a failure;
 * `translate` turns what is left into the port's own errors and passes everything else through.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  readonly mark: '?' | '$'
  /** A statement of its own, never inside anybody's transaction. */
  readonly execute: Execute
  /** Commits when `work` resolves, rolls back when it rejects, runs it again after a conflict. `work` leaves no statement behind. */
  transaction<T>(work: (execute: Execute) => Promise<T>, lock?: string): Promise<T>
  snapshot<T>(work: (execute: Execute) => Promise<T>): Promise<T>
  /** Holds the named lock until the running transaction ends. */
  lock(execute: Execute, name: string): Promise<void>
  notify(channel: string): void
  listen(channel: string, wake: () => void): () => void
  translate(error: unknown): unknown
  close(): Promise<void>
}
