import { useEffect } from 'react'
import { useMoreOfRoom } from '../../../api/room/room.ts'
import { eventFeed } from '../../../live/event-feed.ts'
import type { OlderMessages } from '../../../shared/transcript/older-line.tsx'
import { useValue } from '../../../ui/state/value-store.ts'

/** The distance to the edge of the loaded posts at which more are loaded. */
const READ_ON_PX = 900

/** Loads more posts near the edge of the loaded part. A failed request is repeated when the server is back. */
export function useReadOn(
  teamId: string,
  edges: {
    readonly mayRead: boolean
    readonly hasOlder: boolean
    readonly hasNewer: boolean
    /** In pixels, from the visible part. */
    readonly toTop: number
    readonly toEnd: number
  },
): OlderMessages {
  const older = useMoreOfRoom(teamId, 'older')
  const newer = useMoreOfRoom(teamId, 'newer')
  const isIdle = edges.mayRead && !older.isPending && !newer.isPending
  const wantsOlder = isIdle && edges.hasOlder && !older.isError && edges.toTop < READ_ON_PX
  const wantsNewer = isIdle && edges.hasNewer && !newer.isError && edges.toEnd < READ_ON_PX
  const { mutate: readOlder, reset: forgetOlder } = older
  const { mutate: readNewer, reset: forgetNewer } = newer
  useEffect(() => {
    if (wantsOlder) readOlder()
  }, [wantsOlder, readOlder])
  useEffect(() => {
    if (wantsNewer) readNewer()
  }, [wantsNewer, readNewer])
  const isLive = useValue(eventFeed.state).kind === 'live'
  useEffect(() => {
    if (!isLive) return
    forgetOlder()
    forgetNewer()
  }, [isLive, forgetOlder, forgetNewer])
  return { hasFailed: older.isError, isLoading: older.isPending, load: () => readOlder() }
}
