import type { BoardLine } from '../store/repositories/board/board-lines-repository.ts'
import { POST_CHARACTERS } from './post-body.ts'

/** More of one kind in a row are a list, so that a burst of work does not push everything said out of sight. */
export const MOST_LINES_OF_A_KIND = 8

export interface GatheredLines {
  readonly body: string
  /** null = it speaks of several. */
  readonly taskId: string | null
  readonly at: number
}

/** What is posted for lines that wait together. Each of them stands in exactly one post, in order. */
export function gatherLines(lines: readonly BoardLine[]): GatheredLines[] {
  return runsOf(lines).flatMap((run) => {
    const lists = run.length > MOST_LINES_OF_A_KIND ? fitting(run) : run.map((line) => [line])
    return lists.map(gathered)
  })
}

function runsOf(lines: readonly BoardLine[]): BoardLine[][] {
  const runs: BoardLine[][] = []
  for (const line of lines) {
    const run = runs.at(-1)
    if (run?.[0]?.action === line.action) run.push(line)
    else runs.push([line])
  }
  return runs
}

function fitting(lines: readonly BoardLine[]): BoardLine[][] {
  const lists: BoardLine[][] = []
  let left = 0
  for (const line of lines) {
    left -= line.text.length + 1
    if (left < 0 || lists.length === 0) {
      lists.push([])
      left = POST_CHARACTERS - line.text.length
    }
    lists.at(-1)!.push(line)
  }
  return lists
}

function gathered(lines: readonly BoardLine[]): GatheredLines {
  const tasks = new Set(lines.map(({ taskId }) => taskId))
  return {
    body: lines.map(({ text }) => text).join('\n'),
    taskId: tasks.size === 1 ? lines[0]!.taskId : null,
    at: lines.at(-1)!.at,
  }
}
