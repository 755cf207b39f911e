import type { ExecutionReport, ReportVerdict } from '@clawboo/core/board'
import { type Db, list, ROWS_PER_STATEMENT, sql } from './sql.ts'

export interface StoredReport {
  readonly taskId: string
  readonly report: ExecutionReport
  readonly createdAt: number
  /** null = it has not been applied to its task yet. */
  readonly appliedAt: number | null
  readonly verdict: ReportVerdict | null
}

/** What executions said at their end, one each, kept from the moment it was said until after it was applied. */
export interface TaskReportsRepository {
  /** The first report of an execution stays; false for every further one. */
  insert(taskId: string, report: ExecutionReport, at: number): Promise<boolean>
  get(executionId: string): Promise<StoredReport | null>
  /** Those of these executions that were ended from outside. */
  interruptedAmong(executionIds: readonly string[]): Promise<string[]>
  /** Those of executions that were not applied yet, oldest first. */
  unread(limit: number): Promise<string[]>
  /** False when it was applied before. */
  markApplied(executionId: string, verdict: ReportVerdict, at: number): Promise<boolean>
}

export function createTaskReportsRepository(db: Db): TaskReportsRepository {
  return {
    insert: async (taskId, report, at) =>
      (await db.run(sql`INSERT INTO task_reports (execution_id, task_id, body, created_at)
        VALUES (${report.executionId}, ${taskId}, ${JSON.stringify(report)}, ${at})
        ON CONFLICT (execution_id) DO NOTHING`)) === 1,
    get: async (executionId) => {
      const row = await db.get<ReportRow>(sql`SELECT * FROM task_reports WHERE execution_id = ${executionId}`)
      return row ? storedReport(row) : null
    },
    interruptedAmong: async (executionIds) => {
      const found: string[] = []
      for (let from = 0; from < executionIds.length; from += ROWS_PER_STATEMENT) {
        const chunk = executionIds.slice(from, from + ROWS_PER_STATEMENT)
        const rows = await db.all<Pick<ReportRow, 'execution_id' | 'body'>>(
          sql`SELECT execution_id, body FROM task_reports WHERE execution_id IN (${list(chunk)})`,
        )
        const isInterrupted = ({ body }: Pick<ReportRow, 'body'>) => (JSON.parse(body) as ExecutionReport).interrupted
        found.push(...rows.filter(isInterrupted).map((row) => row.execution_id))
      }
      return found
    },
    unread: async (limit) => {
      const rows = await db.all<{ execution_id: string }>(sql`SELECT execution_id FROM task_reports
        WHERE applied_at IS NULL ORDER BY created_at, execution_id LIMIT ${limit}`)
      return rows.map((row) => row.execution_id)
    },
    markApplied: async (executionId, verdict, at) =>
      (await db.run(sql`UPDATE task_reports SET applied_at = ${at}, verdict = ${JSON.stringify(verdict)}
        WHERE execution_id = ${executionId} AND applied_at IS NULL`)) === 1,
  }
}

interface ReportRow {
  readonly execution_id: string
  readonly task_id: string
  readonly body: string
  readonly created_at: number
  readonly applied_at: number | null
  readonly verdict: string | null
}

function storedReport(row: ReportRow): StoredReport {
  return {
    taskId: row.task_id,
    report: JSON.parse(row.body) as ExecutionReport,
    createdAt: row.created_at,
    appliedAt: row.applied_at,
    verdict: row.verdict === null ? null : (JSON.parse(row.verdict) as ReportVerdict),
  }
}
