/** What a statement may carry: the values that mean the same thing on both engines. Booleans become 1 and 0. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array

/** A recorded statement or a piece of one. Nothing is sent until a `Db` gets it. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly (SqlValue | Sql)[]

  constructor(strings: readonly string[], values: readonly (SqlValue | Sql)[]) {
    this.strings = strings
    this.values = values
  }
}

/**
 * The one way to the database, the same on both engines. Every call resolves or rejects; none throws.
 * `StoreConflict` says that a unique or foreign key refused the write; `store_unavailable` that the database did not answer.
 */
export interface Db {
  readonly engine: 'sqlite' | 'postgres'
  all<T>(query: Sql): Promise<T[]>
  get<T>(query: Sql): Promise<T | undefined>
  /** Resolves to the number of rows written. */
  run(query: Sql): Promise<number>
  /**
   * All or nothing; a failed statement ends it, also when its error is caught. `lock` names a mutex held until the end.
   * `fn` may run again after a conflict, so it does nothing but call `tx`; the outer handle is refused inside it.
   */
  transaction<T>(fn: (tx: Db) => Promise<T>, lock?: string): Promise<T>
  /** One moment of the database, read only. It blocks no writer and sees nothing that is written meanwhile. */
  snapshot<T>(fn: (tx: Db) => Promise<T>): Promise<T>
  /** Wakes the channel's listeners in every process on this database (SQLite: in this process), soon after commit. Carries no data. */
  notify(channel: string): void
  /** `wake` also runs whenever a lost listening connection is back, because wake-ups sent meanwhile are gone. */
  listen(channel: string, wake: () => void): () => void
  close(): Promise<void>
}

export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]): Sql {
  return new Sql(strings, values)
}

/** Text that is part of the program, such as a column name from a constant. Never anything a person typed. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

export function join(parts: readonly Sql[], separator = ', '): Sql {
  return parts.length === 0 ? raw('') : new Sql(separated(parts.length, separator), parts)
}

/** `a, b, c` for `IN (..)`. An empty list throws: `IN ()` is an error on one engine, and only the caller knows what it means. */
export function list(values: readonly SqlValue[]): Sql {
  if (values.length === 0) throw new RangeError('an SQL list needs at least one value')
  return new Sql(separated(values.length, ', '), values)
}

/** `(a, b), (c, d)` for a multi-row VALUES. Send at most `ROWS_PER_STATEMENT` at once. */
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

/** Writes the placeholders in the engine's way. The text of a plain template is made once. */
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

/** SQLite's stay unnumbered: it looks each numbered one up in a list, which takes seconds for a thousand rows. */
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
    throw new TypeError(`not a portable SQL value: ${value} is beyond 2^53, keep it as text`)
  }
  throw new TypeError(`not a portable SQL value: ${value instanceof Date ? 'a Date' : typeof value}`)
}
