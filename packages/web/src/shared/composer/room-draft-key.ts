import { writeStored } from '../../ui/state/stored-text.ts'

/** The storage key of the draft for a team's room. */
export const roomDraftKey = (teamId: string) => `clawboo.room-draft.${teamId}`

/** Puts text into the message field of a room before it opens. */
export function leaveRoomDraft(teamId: string, text: string): void {
  writeStored(roomDraftKey(teamId), JSON.stringify({ text }))
}
