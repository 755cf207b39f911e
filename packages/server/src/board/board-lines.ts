import type { Log } from '../log.ts'
import type { BoardLine } from '../store/repositories/board/board-lines-repository.ts'

export type { BoardLine }

/**
 * Notifies this server of each committed change with one line. A listener that must not miss a line reads it from the
 * store.
 */
export interface BoardLines {
  onLine(listener: (line: BoardLine) => void | Promise<void>): () => void
  tell(line: BoardLine): void
}

export function createBoardLines(log: Log): BoardLines {
  const listeners = new Set<(line: BoardLine) => void | Promise<void>>()
  // The change is already committed, so a failing listener must not look like a failed change.
  const failed = (error: unknown) => log.error('a board line could not be delivered', { error })
  return {
    onLine(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(line) {
      for (const listener of listeners) {
        try {
          Promise.resolve(listener(line)).catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    },
  }
}
