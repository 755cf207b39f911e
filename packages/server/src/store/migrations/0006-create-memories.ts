import type { Migration } from './migration.ts'

/**
 * `terms` contains the words of a memory in the same form for both engines; only the indexes differ. On SQLite, triggers
 * update the index, so that a restore, which writes only the table, fills it too.
 */
export const createMemories: Migration = {
  id: '0006-create-memories',
  up: (engine) => [
    `CREATE TABLE memories (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      scope TEXT NOT NULL,
      agent_id TEXT REFERENCES agents (id) ON DELETE CASCADE,
      team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
      author TEXT NOT NULL,
      run_id TEXT,
      source_kind TEXT NOT NULL,
      trust TEXT NOT NULL,
      body TEXT NOT NULL,
      terms TEXT NOT NULL,
      created_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX memories_by_position ON memories (position)',
    'CREATE INDEX memories_of_agent ON memories (agent_id, position) WHERE agent_id IS NOT NULL',
    'CREATE INDEX memories_of_team ON memories (team_id, position) WHERE team_id IS NOT NULL',
    ...(engine === 'sqlite' ? SQLITE_INDEX : POSTGRES_INDEX),
  ],
}

/** The code splits texts into words. The index splits at spaces only, because the engines differ in everything else. */
const SQLITE_INDEX = [
  "CREATE VIRTUAL TABLE memory_terms USING fts5(terms, content='', contentless_delete=1, tokenize='ascii')",
  `CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
    INSERT INTO memory_terms (rowid, terms) VALUES (new.position, new.terms);
  END`,
  `CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
    DELETE FROM memory_terms WHERE rowid = old.position;
  END`,
]

const POSTGRES_INDEX = [
  "CREATE INDEX memories_terms ON memories USING gin (array_to_tsvector(string_to_array(terms, ' ')))",
]
