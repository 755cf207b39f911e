import { type Db, sql } from './sql.ts'

/** One sentence about what happened on the board, for the team's room. */
export interface BoardLine {
  readonly teamId: string
  readonly taskId: string
  /** As in the audit: `task.create`, `task.move`, … */
  readonly action: string
  readonly text: string
  readonly at: number
}

/** Lines wait here from the board's own transaction until they are posted. */
export interface BoardLinesRepository {
  /** Append late in a transaction: other writers of lines wait from here until the commit. */
  insert(line: BoardLine): Promise<void>
  /** Takes the oldest of a team away and resolves to them, oldest first. */
  take(teamId: string, limit: number): Promise<BoardLine[]>
  /** Teams that have some. */
  teams(): Promise<string[]>
}

export function createBoardLinesRepository(db: Db): BoardLinesRepository {
  return {
    insert: async ({ teamId, taskId, action, text, at }) => {
      await db.run(sql`INSERT INTO board_lines (team_id, task_id, action, body, at)
        VALUES (${teamId}, ${taskId}, ${action}, ${text}, ${at})`)
    },
    take: async (teamId, limit) => {
      const rows = await db.all<LineRow>(sql`DELETE FROM board_lines WHERE seq IN
        (SELECT seq FROM board_lines WHERE team_id = ${teamId} ORDER BY seq LIMIT ${limit}) RETURNING *`)
      return rows.sort((one, other) => one.seq - other.seq).map(boardLine)
    },
    teams: async () => {
      const rows = await db.all<{ team_id: string }>(sql`SELECT DISTINCT team_id FROM board_lines ORDER BY team_id`)
      return rows.map((row) => row.team_id)
    },
  }
}

interface LineRow {
  readonly seq: number
  readonly team_id: string
  readonly task_id: string
  readonly action: string
  readonly body: string
  readonly at: number
}

function boardLine(row: LineRow): BoardLine {
  return { teamId: row.team_id, taskId: row.task_id, action: row.action, text: row.body, at: row.at }
}
