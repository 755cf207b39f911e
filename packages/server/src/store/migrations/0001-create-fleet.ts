import type { Migration } from './migration.ts'

export const createFleet: Migration = {
  id: '0001-create-fleet',
  up: [
    `CREATE TABLE teams (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      description TEXT,
      lead_agent_id TEXT,
      tenant_id TEXT,
      archived_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE TABLE agents (
      id TEXT PRIMARY KEY,
      source_id TEXT NOT NULL,
      source_agent_id TEXT NOT NULL,
      name TEXT,
      emoji TEXT,
      avatar_url TEXT,
      session_key TEXT,
      is_default INTEGER NOT NULL,
      name_override TEXT,
      avatar_seed TEXT,
      team_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
      personality_config TEXT,
      exec_config TEXT,
      capabilities TEXT,
      participant_kind TEXT NOT NULL,
      runtime TEXT NOT NULL,
      tenant_id TEXT,
      created_at INTEGER NOT NULL,
      status TEXT NOT NULL,
      status_at INTEGER NOT NULL,
      archived_at INTEGER,
      updated_at INTEGER NOT NULL,
      UNIQUE (source_id, source_agent_id)
    )`,
    'CREATE INDEX agents_by_age ON agents (created_at, id)',
    'CREATE INDEX agents_by_source ON agents (source_id, created_at, id)',
    'CREATE INDEX agents_by_team ON agents (team_id)',
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      source_session_id TEXT NOT NULL,
      title TEXT,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (agent_id, source_session_id)
    )`,
    `CREATE TABLE agent_file_revisions (
      agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      revision INTEGER NOT NULL,
      hash TEXT NOT NULL,
      content TEXT NOT NULL,
      author TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (agent_id, name, revision)
    )`,
    `CREATE TABLE settings (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
  ],
}
