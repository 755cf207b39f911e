import type { Migration } from './migration.ts'

/** No code ever wrote to the table. The runs of an agent show its conversations. */
export const dropSessions: Migration = { id: '0009-drop-sessions', up: ['DROP TABLE sessions'] }
