import { useMemo, useState } from 'react'
import { roomDraftKey } from '../../../shared/composer/room-draft-key.ts'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { useStoredDraft } from '../../../ui/state/use-stored-draft.ts'
import { EMPTY_DRAFT, type RoomDraft, readDraft, storedDraft } from './room-draft.ts'

const sendingKey = (teamId: string) => `clawboo.room-sending.${teamId}`

/** The message being written to a team's room. The browser stores it until the server accepts it. */
export function useRoomDraft(teamId: string) {
  const [stored, store] = useStoredDraft(roomDraftKey(teamId))
  const draft = useMemo(() => readDraft(stored), [stored])
  /** An earlier page closed while it was sending this text, so it may or may not have arrived. */
  const [isLeftBehind] = useState(() => draft.text !== '' && readStored(sendingKey(teamId)) !== null)
  const change = (next: RoomDraft) => store(storedDraft(next) ?? '')
  return {
    draft,
    change,
    isLeftBehind,
    clear: () => change(EMPTY_DRAFT),
    markSending: (isSending: boolean) => writeStored(sendingKey(teamId), isSending ? 'yes' : null),
  }
}
