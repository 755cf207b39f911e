import type { Task } from './task.ts'

/** A task on its team's board. */
export interface BoardTask extends Task {
  /** The number of its blockers that are not done. */
  readonly openBlockers: number
  /** The attempt that holds it; null unless it is in progress. */
  readonly attemptId: string | null
  /** Its place in its column, smallest first. */
  readonly position: number
  /** When a person last moved it. */
  readonly attendedAt: number | null
}

/** The part of a task that a column shows. */
export type TaskCard = Omit<BoardTask, 'body'>
