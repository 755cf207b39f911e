/** A unique or foreign key refused a write. A caller that expects this outcome uses ON CONFLICT and row counts instead. */
export class StoreConflict extends Error {
  readonly kind: 'unique' | 'foreign-key'

  constructor(kind: 'unique' | 'foreign-key', cause: Error) {
    super(`a ${kind} constraint refused the write: ${cause.message}`, { cause })
    this.name = 'StoreConflict'
    this.kind = kind
  }
}
