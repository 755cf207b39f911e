import type { Task } from './task.ts'

/** A task as it stands on its team's board. */
export interface BoardTask extends Task {
  /** How many of those it waits for are not done. */
  readonly openBlockers: number
  /** The attempt that holds it; null unless it is in progress. */
  readonly executionId: string | null
  /** Its place within its column, the smallest first. */
  readonly position: number
  /** When a person last moved it. */
  readonly attendedAt: number | null
}

/** What a column shows of it. */
export type TaskCard = Omit<BoardTask, 'body'>
