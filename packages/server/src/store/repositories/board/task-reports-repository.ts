import type { AttemptReport, ReportVerdict } from '@clawboo/core/board'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, list, ROWS_PER_STATEMENT, sql } from '../../sql.ts'

interface StoredReport {
  readonly taskId: string
  readonly report: AttemptReport
  readonly createdAt: number
  /** null = the report has not been applied to its task yet. */
  readonly appliedAt: number | null
  readonly verdict: ReportVerdict | null
}

/** The reports of attempts, one for each. A report is stored before it is applied to its task. */
export function createTaskReportsRepository(db: Db) {
  return {
    /** False when the attempt has a report already: the first one counts. */
    insert: async (taskId: string, report: AttemptReport, at: number) =>
      (await db.run(sql`INSERT INTO task_reports (attempt_id, task_id, body, created_at)
        VALUES (${report.attemptId}, ${taskId}, ${JSON.stringify(report)}, ${at})
        ON CONFLICT (attempt_id) DO NOTHING`)) === 1,
    get: (attemptId: string) =>
      readRecords(db, storedReport).first(sql`SELECT task_id, body AS report, created_at, applied_at, verdict
        FROM task_reports WHERE attempt_id = ${attemptId}`),
    /** Returns the ids of these attempts that were ended from outside. */
    interruptedAmong: async (attemptIds: readonly string[]) => {
      const found: string[] = []
      for (let from = 0; from < attemptIds.length; from += ROWS_PER_STATEMENT) {
        const chunk = attemptIds.slice(from, from + ROWS_PER_STATEMENT)
        const rows = await db.all<{ body: string }>(
          sql`SELECT body FROM task_reports WHERE attempt_id IN (${list(chunk)})`,
        )
        const reports = rows.map(({ body }) => JSON.parse(body) as AttemptReport)
        found.push(...reports.filter(({ interrupted }) => interrupted).map(({ attemptId }) => attemptId))
      }
      return found
    },
    /** The attempts with a report that was not applied yet, oldest first. */
    unread: async (limit: number) => {
      const rows = await db.all<{ attemptId: string }>(sql`SELECT attempt_id FROM task_reports
        WHERE applied_at IS NULL ORDER BY created_at, attempt_id LIMIT ${limit}`)
      return rows.map((row) => row.attemptId)
    },
    /** False when the report was applied before. */
    markApplied: async (attemptId: string, verdict: ReportVerdict, at: number) =>
      (await db.run(sql`UPDATE task_reports SET applied_at = ${at}, verdict = ${JSON.stringify(verdict)}
        WHERE attempt_id = ${attemptId} AND applied_at IS NULL`)) === 1,
  }
}

const storedReport = rowDecoder<StoredReport>({ json: ['report', 'verdict'] })
