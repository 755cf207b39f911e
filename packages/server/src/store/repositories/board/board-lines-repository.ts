import { type Db, sql } from '../../sql.ts'

/** One sentence about a change of the board, for the team's room. */
export interface BoardLine {
  readonly teamId: string
  readonly taskId: string
  /** The same words as in the audit: `task.create`, `task.move`, … */
  readonly action: string
  readonly text: string
  readonly at: number
}

/** The lines that wait to be posted. The board's own transaction adds them. */
export function createBoardLinesRepository(db: Db) {
  return {
    /** Append late in a transaction: other writers of lines wait until the commit. */
    insert: async ({ teamId, taskId, action, text, at }: BoardLine) => {
      await db.run(sql`INSERT INTO board_lines (team_id, task_id, action, body, at)
        VALUES (${teamId}, ${taskId}, ${action}, ${text}, ${at})`)
    },
    /** Removes a team's oldest lines and resolves to them, oldest first. */
    take: async (teamId: string, limit: number) => {
      const rows = await db.all<BoardLine & { readonly seq: number }>(sql`DELETE FROM board_lines WHERE seq IN
        (SELECT seq FROM board_lines WHERE team_id = ${teamId} ORDER BY seq LIMIT ${limit})
        RETURNING seq, team_id, task_id, action, body AS text, at`)
      return rows.sort((one, other) => one.seq - other.seq).map(({ seq: _, ...line }) => line)
    },
    /** The teams that have lines waiting. */
    teams: async () => {
      const rows = await db.all<{ teamId: string }>(sql`SELECT DISTINCT team_id FROM board_lines ORDER BY team_id`)
      return rows.map((row) => row.teamId)
    },
  }
}
