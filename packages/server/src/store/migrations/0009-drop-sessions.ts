import type { Migration } from './migration.ts'

/** Nothing ever wrote it: which conversations an agent has is known from its runs. */
export const dropSessions: Migration = { id: '0009-drop-sessions', up: ['DROP TABLE sessions'] }
