import { useState } from 'react'
import { roomDraftKey } from '../../../shared/composer/room-draft-key.ts'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { EMPTY_DRAFT, type RoomDraft, readDraft, storedDraft } from './room-draft.ts'

const sendingKey = (teamId: string) => `clawboo.room-sending.${teamId}`

/** What is being written to a team's room. It outlives the tab, until the server has taken it. */
export function useRoomDraft(teamId: string) {
  const [draft, setDraft] = useState(() => readDraft(readStored(roomDraftKey(teamId))))
  /** The page before this one was left while it sent what is here: nobody knows what became of it. */
  const [isLeftBehind] = useState(() => draft.text !== '' && readStored(sendingKey(teamId)) !== null)
  const change = (next: RoomDraft) => {
    writeStored(roomDraftKey(teamId), storedDraft(next))
    setDraft(next)
  }
  return {
    draft,
    change,
    isLeftBehind,
    clear: () => change(EMPTY_DRAFT),
    markSending: (isSending: boolean) => writeStored(sendingKey(teamId), isSending ? 'yes' : null),
  }
}
