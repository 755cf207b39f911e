import { writeStored } from '../../ui/state/stored-text.ts'

export const roomDraftKey = (teamId: string) => `clawboo.room-draft.${teamId}`

/** Puts text into the message field of a room before it opens. */
export function leaveRoomDraft(teamId: string, text: string): void {
  writeStored(roomDraftKey(teamId), JSON.stringify({ text }))
}
