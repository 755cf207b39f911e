import type { Migration } from './migration.ts'

/** Renames executions to attempts, in the tables and in the stored JSON. */
export const renameAttempts: Migration = {
  id: '0012-attempts',
  up: [
    'ALTER TABLE executions RENAME TO attempts',
    'ALTER TABLE attempts RENAME COLUMN attempt TO number',
    'DROP INDEX executions_under_way',
    "CREATE INDEX attempts_under_way ON attempts (lease_until) WHERE state = 'running'",
    'ALTER TABLE tasks RENAME COLUMN execution_id TO attempt_id',
    'ALTER TABLE task_reports RENAME COLUMN execution_id TO attempt_id',
    'ALTER TABLE task_evidence RENAME COLUMN execution_id TO attempt_id',
    // In JSON, an unescaped quote ends a key, so no text in a value can match.
    `UPDATE task_reports SET body = replace(body, '"executionId":', '"attemptId":')`,
    `UPDATE events SET body = replace(body, '"executionId":', '"attemptId":') WHERE type = 'task-changed'`,
  ],
}
