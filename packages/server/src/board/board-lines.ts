import type { Log } from '../log.ts'

/** One sentence about what happened on the board, for the team's room. */
export interface BoardLine {
  readonly teamId: string
  readonly taskId: string
  /** As in the audit: `task.create`, `task.move`, … */
  readonly action: string
  readonly text: string
  readonly at: number
}

/** Tells what was changed, a line for each change and only once it is committed. */
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
