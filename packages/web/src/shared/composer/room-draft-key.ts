import { writeStored } from '../../ui/state/stored-text.ts'

/** Under which the browser keeps what is being written to a team's room. */
export const roomDraftKey = (teamId: string) => `clawboo.room-draft.${teamId}`

/** Leaves words in the message field of a room that is opened next. */
export function leaveRoomDraft(teamId: string, text: string): void {
  writeStored(roomDraftKey(teamId), JSON.stringify({ text }))
}
