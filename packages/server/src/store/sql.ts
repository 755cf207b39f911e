/** The values that a statement can contain, with the same meaning on both engines. Booleans become 1 and 0. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array

/** A statement or a part of one. A `Db` sends it; building it sends nothing. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly (SqlValue | Sql)[]

  constructor(strings: readonly string[], values: readonly (SqlValue | Sql)[]) {
    this.strings = strings
    this.values = values
  }
}

/**
 * The only access to the database, the same on both engines. Every call resolves or rejects; none throws. It rejects with
 * `StoreConflict` when a unique or foreign key refuses the write, and with `store_unavailable` when the database does not
 * answer.
 *
 * A row is a plain object of the caller's own. A column arrives under its name in camel case: `team_id` as `teamId`.
 */
export interface Db {
  readonly engine: 'sqlite' | 'postgres'
  all<T>(query: Sql): Promise<T[]>
  get<T>(query: Sql): Promise<T | undefined>
  /** Resolves to the number of rows written. */
  run(query: Sql): Promise<number>
  /**
   * Commits all statements or none. A failed statement ends the transaction, even when its error is caught. `lock` names a
   * lock that is released at the end. `fn` can run again after a conflict, so it may only call `tx`. Inside `fn`, the outer
   * handle is refused.
   */
  transaction<T>(fn: (tx: Db) => Promise<T>, lock?: string): Promise<T>
  /** Reads one moment of the database. It blocks no writer and does not see later writes. */
  snapshot<T>(fn: (tx: Db) => Promise<T>): Promise<T>
  /** Wakes the channel's listeners soon after the commit, in every process on this database (SQLite: in this process). Carries no data. */
  notify(channel: string): void
  /** `wake` also runs after a lost listening connection is restored, because wake-ups in between are lost. */
  listen(channel: string, wake: () => void): () => void
  close(): Promise<void>
}

export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]): Sql {
  return new Sql(strings, values)
}

/** Text of the program itself, such as a column name from a constant. Never pass text that a person typed. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

export function join(parts: readonly Sql[], separator = ', '): Sql {
  return parts.length === 0 ? raw('') : new Sql(separated(parts.length, separator), parts)
}

/**
 * Returns `a, b, c` for `IN (..)`. Throws for an empty list: `IN ()` fails on one engine, and only the caller knows the
 * intended result.
 */
export function list(values: readonly SqlValue[]): Sql {
  if (values.length === 0) throw new RangeError('an SQL list needs at least one value')
  return new Sql(separated(values.length, ', '), values)
}

/** `(a, b), (c, d)` for VALUES with several rows. Send at most `ROWS_PER_STATEMENT` rows at once. */
export function rows(tuples: readonly (readonly SqlValue[])[]): Sql {
  if (tuples.length === 0) throw new RangeError('VALUES needs at least one row')
  return join(tuples.map((tuple) => sql`(${list(tuple)})`))
}

/** Keeps the widest table under SQLite's 32,766 parameters. */
export const ROWS_PER_STATEMENT = 1000

export interface CompiledSql {
  readonly text: string
  readonly values: readonly (string | number | bigint | null | Uint8Array)[]
}

/** Writes the placeholders of the engine. The text of a template without nested parts is built once. */
export function compile(query: Sql, mark: '?' | '$'): CompiledSql {
  if (!query.values.some((value) => value instanceof Sql)) {
    let text = flatTexts[mark].get(query.strings)
    if (text === undefined) {
      text = query.strings.reduce((before, after, index) => before + placeholder(mark, index) + after)
      flatTexts[mark].set(query.strings, text)
    }
    return { text, values: query.values.map(portableValue) }
  }
  const values: CompiledSql['values'][number][] = []
  const walk = (part: Sql): string =>
    part.strings.reduce((before, after, index) => {
      const value = part.values[index - 1]
      return (
        before + (value instanceof Sql ? walk(value) : placeholder(mark, values.push(portableValue(value)))) + after
      )
    })
  return { text: walk(query), values }
}

/** Without a number on SQLite, which looks each numbered one up in a list: that takes seconds for a thousand rows. */
function placeholder(mark: '?' | '$', number: number): string {
  return mark === '?' ? '?' : `$${number}`
}

const flatTexts = { '?': new WeakMap<object, string>(), $: new WeakMap<object, string>() }

function separated(count: number, separator: string): string[] {
  return ['', ...Array<string>(count - 1).fill(separator), '']
}

function portableValue(value: unknown): CompiledSql['values'][number] {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || value instanceof Uint8Array) return value
  if (typeof value === 'string') {
    if (!value.includes('\0')) return value
    throw new TypeError('not a portable SQL value: text with a NUL character')
  }
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return value
    throw new TypeError(`not a portable SQL value: the number ${value}`)
  }
  if (typeof value === 'bigint') {
    if (Number.isSafeInteger(Number(value))) return value
    throw new TypeError(`not a portable SQL value: ${value} is beyond 2^53, store it as text`)
  }
  throw new TypeError(`not a portable SQL value: ${value instanceof Date ? 'a Date' : typeof value}`)
}
