import type { Migration } from './migration.ts'

/** Both foreign keys cascade, so that a grant cannot outlive its run or its agent. */
export const createGrants: Migration = {
  id: '0005-create-grants',
  up: [
    `CREATE TABLE grants (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL,
      issuer TEXT NOT NULL,
      run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      team_id TEXT,
      room_id TEXT,
      task_id TEXT,
      tools TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      revoked_at INTEGER,
      revoked_because TEXT
    )`,
    'CREATE UNIQUE INDEX grants_by_hash ON grants (hash)',
    'CREATE INDEX grants_by_run ON grants (run_id)',
    'CREATE INDEX grants_by_agent ON grants (agent_id)',
    'CREATE INDEX grants_by_task ON grants (task_id) WHERE task_id IS NOT NULL',
  ],
}
