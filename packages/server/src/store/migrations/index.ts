import { createFleet } from './0001-create-fleet.ts'
import { createEventLog } from './0002-create-event-log.ts'
import { createRuns } from './0003-create-runs.ts'
import { createBoard } from './0004-create-board.ts'
import { createGrants } from './0005-create-grants.ts'
import { createMemories } from './0006-create-memories.ts'
import { createTools } from './0007-create-tools.ts'
import { createTeamChat } from './0008-create-team-chat.ts'
import { dropSessions } from './0009-drop-sessions.ts'
import { dropRoomSessions } from './0010-drop-room-sessions.ts'
import { moveToOwnSource } from './0011-own-source.ts'
import { renameAttempts } from './0012-attempts.ts'
import type { Migration } from './migration.ts'

/** In order. A file that is not in this list never runs. */
export const MIGRATIONS: readonly Migration[] = [
  createFleet,
  createEventLog,
  createRuns,
  createBoard,
  createGrants,
  createMemories,
  createTools,
  createTeamChat,
  dropSessions,
  dropRoomSessions,
  moveToOwnSource,
  renameAttempts,
]
