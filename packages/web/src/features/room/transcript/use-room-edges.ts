import { useEffect } from 'react'
import { useMoreOfRoom } from '../../../api/room/room.ts'
import { eventFeed } from '../../../live/event-feed.ts'
import type { MoreEntries } from '../../../shared/transcript/use-transcript.ts'
import { useValue } from '../../../ui/state/value-store.ts'

/** The posts before and after the loaded ones. A failed request is repeated when the server is back. */
export function useRoomEdges(
  teamId: string,
  { hasOlder, hasNewer }: { readonly hasOlder: boolean; readonly hasNewer: boolean },
): { readonly older: MoreEntries; readonly newer: MoreEntries } {
  const older = useMoreOfRoom(teamId, 'older')
  const newer = useMoreOfRoom(teamId, 'newer')
  const isLive = useValue(eventFeed.state).kind === 'live'
  const [forgetOlder, forgetNewer] = [older.reset, newer.reset]
  useEffect(() => {
    if (!isLive) return
    forgetOlder()
    forgetNewer()
  }, [isLive, forgetOlder, forgetNewer])
  return { older: edge(hasOlder, older), newer: edge(hasNewer, newer) }
}

function edge(exist: boolean, { isPending, isError, mutate }: ReturnType<typeof useMoreOfRoom>): MoreEntries {
  return { exist, isLoading: isPending, hasFailed: isError, load: () => mutate() }
}
