import type { CompiledSql } from './sql.ts'

export type StatementKind = 'all' | 'get' | 'run'

/** Sends one statement over one connection. `all` returns rows, `get` a row or undefined, `run` the number of written rows. */
export type Execute = (kind: StatementKind, query: CompiledSql) => Promise<unknown>

/**
 * The part of a database that `createDb` builds on. It throws the driver's own errors, so that callers can distinguish
 * a conflict from a failure. `translate` turns them into the port's errors and returns other errors unchanged.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  readonly mark: '?' | '$'
  /** Sends a single statement outside every transaction. */
  readonly execute: Execute
  /** Commits when `work` resolves, rolls back when it rejects, and runs it again after a conflict. `work` awaits all its statements. */
  transaction<T>(work: (execute: Execute) => Promise<T>, lock?: string): Promise<T>
  snapshot<T>(work: (execute: Execute) => Promise<T>): Promise<T>
  /** Takes the named lock until the running transaction ends. */
  lock(execute: Execute, name: string): Promise<void>
  notify(channel: string): void
  listen(channel: string, wake: () => void): () => void
  translate(error: unknown): unknown
  close(): Promise<void>
}
