/**
 * One step of the schema. Released steps never change; a new one is added at the end of the list.
 * Statements use the words INTEGER, REAL, TEXT and BLOB; `migrate` fits them to the engine.
 */
export interface Migration {
  /** Its file's name without the ending: a number, then what it does. */
  readonly id: string
  readonly up: readonly string[] | ((engine: 'sqlite' | 'postgres') => readonly string[])
}
