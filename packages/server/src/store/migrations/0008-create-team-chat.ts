import type { Migration } from './migration.ts'

/**
 * The room's own row numbers its posts, and a counter that each writer locks until its commit numbers the board lines, so
 * both are read in the order of commits. Lines have no foreign key: its lock on the team's row would wait for a removal of
 * the team, which itself waits for the task.
 */
export const createTeamChat: Migration = {
  id: '0008-create-team-chat',
  up: (engine) => [
    `CREATE TABLE rooms (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      head_seq INTEGER NOT NULL,
      last_ordinal INTEGER NOT NULL,
      owner_instance TEXT,
      lease_until INTEGER,
      turn_cap INTEGER,
      wakes_leader INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    )`,
    'CREATE INDEX rooms_by_team ON rooms (team_id)',
    `CREATE TABLE team_chat (
      room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL UNIQUE,
      team_id TEXT NOT NULL,
      author_kind TEXT NOT NULL,
      author_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      body TEXT NOT NULL,
      addressed TEXT NOT NULL,
      chain_id TEXT,
      hops INTEGER NOT NULL,
      run_id TEXT,
      task_id TEXT,
      credential TEXT NOT NULL,
      turn_key TEXT,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (room_id, seq)
    )`,
    "CREATE INDEX team_chat_by_agent ON team_chat (room_id, author_id, seq) WHERE author_kind = 'agent'",
    'CREATE UNIQUE INDEX team_chat_by_turn ON team_chat (turn_key) WHERE turn_key IS NOT NULL',
    `CREATE TABLE room_exchanges (
      id TEXT PRIMARY KEY,
      room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      stimulus_seq INTEGER,
      state TEXT NOT NULL,
      status TEXT NOT NULL,
      reason TEXT,
      owner_instance TEXT,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      updated_at INTEGER NOT NULL,
      ended_at INTEGER,
      UNIQUE (room_id, ordinal)
    )`,
    "CREATE INDEX room_exchanges_open ON room_exchanges (room_id, ordinal) WHERE status <> 'ended'",
    `CREATE TABLE room_members (
      room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
      agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      cursor_seq INTEGER NOT NULL,
      session_id TEXT,
      summary TEXT,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (room_id, agent_id)
    )`,
    'CREATE INDEX room_members_by_agent ON room_members (agent_id)',
    `CREATE TABLE board_lines (
      seq ${engine === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : "INTEGER PRIMARY KEY DEFAULT next_seq('board_lines')"},
      team_id TEXT NOT NULL,
      task_id TEXT NOT NULL,
      action TEXT NOT NULL,
      body TEXT NOT NULL,
      at INTEGER NOT NULL
    )`,
    'CREATE INDEX board_lines_by_team ON board_lines (team_id, seq)',
    ...(engine === 'postgres' ? ["INSERT INTO counters (name, value) VALUES ('board_lines', 0)"] : []),
  ],
}
