import type { Migration } from './migration.ts'

/** No query read the column: the runs of the conversation store where its runtime continues. */
export const dropRoomSessions: Migration = {
  id: '0010-drop-room-sessions',
  up: ['ALTER TABLE room_members DROP COLUMN session_id'],
}
