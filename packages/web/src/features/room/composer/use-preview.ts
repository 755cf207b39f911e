import { type RoomWish, useRoomPreview } from '../../../api/room/room-actions.ts'
import type { RoomMembers } from '../room-members.ts'
import { useSettled } from './use-settled.ts'

const REST_MS = 200

/** The preview of the message, requested once the choices settle. An empty message requests none. */
export function usePreview(options: {
  readonly teamId: string
  readonly isWritten: boolean
  readonly wish: RoomWish
  readonly members: RoomMembers
  /** Other values that the preview depends on. */
  readonly asOf: readonly unknown[]
}) {
  const { teamId, isWritten, wish, members } = options
  const settled = useSettled(JSON.stringify(wish), REST_MS)
  const asOf = JSON.stringify([members.leaderId, members.boos.map(({ id }) => id), options.asOf])
  return useRoomPreview(teamId, isWritten ? (JSON.parse(settled) as RoomWish) : null, asOf)
}
