import type { Migration } from './migration.ts'

/** Outside MCP servers and their tools. `descriptor` is the last one seen, `approved_descriptor` the one that a person approved. */
export const createTools: Migration = {
  id: '0007-create-tools',
  up: [
    `CREATE TABLE tool_servers (
      name TEXT PRIMARY KEY,
      endpoint TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL
    )`,
    `CREATE TABLE outside_tools (
      id TEXT PRIMARY KEY,
      server TEXT NOT NULL REFERENCES tool_servers (name) ON DELETE CASCADE,
      name TEXT NOT NULL,
      descriptor TEXT NOT NULL,
      hash TEXT NOT NULL,
      findings TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      approved_descriptor TEXT,
      approved_hash TEXT,
      approved_by TEXT,
      approved_at INTEGER,
      created_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX outside_tools_by_name ON outside_tools (server, name)',
  ],
}
