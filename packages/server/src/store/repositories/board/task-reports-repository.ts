import type { ExecutionReport, ReportVerdict } from '@clawboo/core/board'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, list, ROWS_PER_STATEMENT, sql } from '../../sql.ts'

export interface StoredReport {
  readonly taskId: string
  readonly report: ExecutionReport
  readonly createdAt: number
  /** null = the report has not been applied to its task yet. */
  readonly appliedAt: number | null
  readonly verdict: ReportVerdict | null
}

/** The reports of attempts, one for each. A report is stored before it is applied to its task. */
export interface TaskReportsRepository {
  /** False when the attempt has a report already: the first one counts. */
  insert(taskId: string, report: ExecutionReport, at: number): Promise<boolean>
  get(executionId: string): Promise<StoredReport | null>
  /** The attempts among these that were ended from outside. */
  interruptedAmong(executionIds: readonly string[]): Promise<string[]>
  /** The attempts with a report that was not applied yet, oldest first. */
  unread(limit: number): Promise<string[]>
  /** False when the report was applied before. */
  markApplied(executionId: string, verdict: ReportVerdict, at: number): Promise<boolean>
}

export function createTaskReportsRepository(db: Db): TaskReportsRepository {
  return {
    insert: async (taskId, report, at) =>
      (await db.run(sql`INSERT INTO task_reports (execution_id, task_id, body, created_at)
        VALUES (${report.executionId}, ${taskId}, ${JSON.stringify(report)}, ${at})
        ON CONFLICT (execution_id) DO NOTHING`)) === 1,
    get: (executionId) =>
      readRecords(db, storedReport).first(sql`SELECT task_id, body AS report, created_at, applied_at, verdict
        FROM task_reports WHERE execution_id = ${executionId}`),
    interruptedAmong: async (executionIds) => {
      const found: string[] = []
      for (let from = 0; from < executionIds.length; from += ROWS_PER_STATEMENT) {
        const chunk = executionIds.slice(from, from + ROWS_PER_STATEMENT)
        const rows = await db.all<{ body: string }>(
          sql`SELECT body FROM task_reports WHERE execution_id IN (${list(chunk)})`,
        )
        const reports = rows.map(({ body }) => JSON.parse(body) as ExecutionReport)
        found.push(...reports.filter(({ interrupted }) => interrupted).map(({ executionId }) => executionId))
      }
      return found
    },
    unread: async (limit) => {
      const rows = await db.all<{ executionId: string }>(sql`SELECT execution_id FROM task_reports
        WHERE applied_at IS NULL ORDER BY created_at, execution_id LIMIT ${limit}`)
      return rows.map((row) => row.executionId)
    },
    markApplied: async (executionId, verdict, at) =>
      (await db.run(sql`UPDATE task_reports SET applied_at = ${at}, verdict = ${JSON.stringify(verdict)}
        WHERE execution_id = ${executionId} AND applied_at IS NULL`)) === 1,
  }
}

const storedReport = rowDecoder<StoredReport>({ json: ['report', 'verdict'] })
