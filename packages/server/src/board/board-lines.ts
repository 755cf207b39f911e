import type { Log } from '../log.ts'
import type { BoardLine } from '../store/board-lines-repository.ts'

export type { BoardLine }

/**
 * Tells this server what was changed, a line for each change and only once it is committed. Who must not miss one reads
 * it where the change left it: in the store.
 */
export interface BoardLines {
  onLine(listener: (line: BoardLine) => void | Promise<void>): () => void
  tell(line: BoardLine): void
}

export function createBoardLines(log: Log): BoardLines {
  const listeners = new Set<(line: BoardLine) => void | Promise<void>>()
  // The change stands already, so a listener that fails must not look like a change that failed.
  const failed = (error: unknown) => log.error('a line of the board could not be passed on', { error })
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
