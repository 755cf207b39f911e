import type { BoardLine } from '../../store/repositories/board/board-lines-repository.ts'
import { POST_CHARACTERS } from '../posts/append-post.ts'

/** More consecutive lines of one kind become one post, so that a burst does not push the conversation out of sight. */
export const MOST_LINES_OF_A_KIND = 8

export interface GatheredLines {
  readonly body: string
  /** null = the lines are about several tasks. */
  readonly taskId: string | null
  readonly at: number
}

/** Turns waiting lines into posts. Each line is in exactly one post, in order. */
export function gatherLines(lines: readonly BoardLine[]): GatheredLines[] {
  return sequencesOf(lines).flatMap((sequence) => {
    const groups = sequence.length > MOST_LINES_OF_A_KIND ? splitToFit(sequence) : sequence.map((line) => [line])
    return groups.map(joinLines)
  })
}

/** Consecutive lines with the same action. */
function sequencesOf(lines: readonly BoardLine[]): BoardLine[][] {
  const sequences: BoardLine[][] = []
  for (const line of lines) {
    const current = sequences.at(-1)
    if (current?.[0]?.action === line.action) current.push(line)
    else sequences.push([line])
  }
  return sequences
}

function splitToFit(lines: readonly BoardLine[]): BoardLine[][] {
  const groups: BoardLine[][] = []
  let left = 0
  for (const line of lines) {
    left -= line.text.length + 1
    if (left < 0 || groups.length === 0) {
      groups.push([])
      left = POST_CHARACTERS - line.text.length
    }
    groups.at(-1)!.push(line)
  }
  return groups
}

function joinLines(lines: readonly BoardLine[]): GatheredLines {
  const tasks = new Set(lines.map(({ taskId }) => taskId))
  return {
    body: lines.map(({ text }) => text).join('\n'),
    taskId: tasks.size === 1 ? lines[0]!.taskId : null,
    at: lines.at(-1)!.at,
  }
}
