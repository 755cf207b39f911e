import { useEffect, useMemo, useState } from 'react'
import type { Room } from '../../../api/room/room.ts'
import { type PreviewRequest, useRoomPreview } from '../../../api/room/room-actions.ts'
import type { Team } from '../../../api/teams.ts'
import { excessOf } from '../../../shared/composer/composer.tsx'
import { roomDraftKey } from '../../../shared/composer/room-draft-key.ts'
import type { RoomMode } from '../../../shared/composer/send-modes.ts'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { useStoredDraft } from '../../../ui/state/use-stored-draft.ts'
import type { RoomMembers } from '../room-members.ts'
import { modeInForce } from './preview-words.ts'
import { EMPTY_DRAFT, type RoomDraft, readDraft, recipientsOf, storedDraft } from './room-draft.ts'
import { LEFT_BEHIND, useSending } from './use-sending.ts'
import { useTyping } from './use-typing.ts'

export const LONGEST = 32_000

/** A message, from its first letter until the server accepts it. */
export function useComposer(options: {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
  readonly onSent: () => void
}) {
  const { team, room, members, onSent } = options
  const kept = useRoomDraft(team.id)
  const sending = useSending(team.id, members, kept.isLeftBehind ? LEFT_BEHIND : null)
  const [chosenMode, setMode] = useState<RoomMode>('queue')
  const [chosenAs, setAs] = useStoredDraft(`clawboo.room-as.${team.id}`)
  const as = members.people.some(({ id }) => id === chosenAs) ? chosenAs : ''
  const running = room.exchanges.find(({ status }) => status === 'running')
  const mode = modeInForce(room.exchanges, chosenMode)

  const isThere = (agentId: string) => members.boos.some(({ id }) => id === agentId)
  const draft = { ...kept.draft, mentions: kept.draft.mentions.filter(({ agentId }) => isThere(agentId)) }
  const to = recipientsOf(draft, isThere)
  const skip = draft.skip.filter(isThere)
  const isWritten = draft.text.trim() !== ''
  const isReady = isWritten && excessOf(draft.text, LONGEST) === 0

  const send = async (how: RoomMode | 'say-only' | null) => {
    if (!isReady || sending.isSending) return
    kept.markSending(true)
    const outcome = await sending.send({ body: draft.text.trimEnd(), to, skip, as, mode: how })
    // A page that closes never gets the response, so the next page has to show that the state is unknown.
    if (outcome !== 'unknown') kept.markSending(false)
    if (outcome !== 'taken') return
    kept.clear()
    setMode('queue')
    onSent()
    typing.goOn()
  }
  const typing = useTyping({
    draft,
    boos: members.boos,
    isLocked: sending.isSending,
    onChange: (next) => {
      sending.forgetProblem()
      kept.markSending(false)
      kept.change(next)
    },
  })
  const preview = usePreview({
    teamId: team.id,
    isWritten,
    members,
    request: { to: [...to], skip: [...skip], mode: mode ?? 'queue' },
    // The cost of turns is updated when an exchange ends.
    asOf: [room.ended?.id, ...(mode === 'steer' && running ? [running.id, running.turns, running.pending.length] : [])],
  })
  return { draft, to, skip, as, setAs, mode, setMode, isWritten, isReady, send, sending, typing, preview }
}

export type ComposerState = ReturnType<typeof useComposer>

const REST_MS = 200

/** The preview of the message, requested once the choices settle. An empty message requests none. */
function usePreview(options: {
  readonly teamId: string
  readonly isWritten: boolean
  readonly request: PreviewRequest
  readonly members: RoomMembers
  /** Other values that the preview depends on. */
  readonly asOf: readonly unknown[]
}) {
  const { teamId, isWritten, request, members } = options
  const settled = useSettled(JSON.stringify(request), REST_MS)
  const asOf = JSON.stringify([members.leaderId, members.boos.map(({ id }) => id), options.asOf])
  return useRoomPreview(teamId, isWritten ? (JSON.parse(settled) as PreviewRequest) : null, asOf)
}

/** Returns the value once it has not changed for `ms`. The first value is returned at once. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

const sendingKey = (teamId: string) => `clawboo.room-sending.${teamId}`

/** The message being written to a team's room. The browser stores it until the server accepts it. */
function useRoomDraft(teamId: string) {
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
