/**
 * One step of the schema. Released steps never change. Add a new step at the end of the list.
 * Statements use the types INTEGER, REAL, TEXT and BLOB, which `migrate` adapts to the engine.
 */
export interface Migration {
  /** The file's name without the extension: a number, then the change. */
  readonly id: string
  readonly up: readonly string[] | ((engine: 'sqlite' | 'postgres') => readonly string[])
}
