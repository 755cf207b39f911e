import type { DoneOverride, Evidence, EvidenceLack } from '@clawboo/core/board'
import { type Db, sql } from '../../sql.ts'

/** A person's decision that a task is done without evidence. It stays when the task is reopened. */
export interface KeptOverride extends DoneOverride {
  readonly id: string
  readonly lack: EvidenceLack
}

/** The evidence that tasks are done. Rows are added and never changed. */
export function createTaskEvidenceRepository(db: Db) {
  return {
    insert: async (evidence: Evidence, attemptId: string | null) => {
      await db.run(sql`INSERT INTO task_evidence (id, task_id, kind, at, body, attempt_id) VALUES (${evidence.id},
        ${evidence.taskId}, ${evidence.kind}, ${evidence.at}, ${JSON.stringify(evidence)}, ${attemptId})`)
    },
    /** Oldest first. */
    list: async (taskId: string) => {
      const rows = await db.all<{ body: string }>(sql`SELECT body FROM task_evidence
        WHERE task_id = ${taskId} AND kind <> 'override' ORDER BY at, id`)
      return rows.map(({ body }) => JSON.parse(body) as Evidence)
    },
    insertOverride: async (taskId: string, override: KeptOverride) => {
      await db.run(sql`INSERT INTO task_evidence (id, task_id, kind, at, body)
        VALUES (${override.id}, ${taskId}, 'override', ${override.at}, ${JSON.stringify(override)})`)
    },
    /** Oldest first. */
    overrides: async (taskId: string) => {
      const rows = await db.all<{ body: string }>(sql`SELECT body FROM task_evidence
        WHERE task_id = ${taskId} AND kind = 'override' ORDER BY at, id`)
      return rows.map(({ body }) => JSON.parse(body) as KeptOverride)
    },
  }
}
