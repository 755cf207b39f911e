import { useEffect, useState } from 'react'
import type { ExchangeView, Room } from '../../../api/room/room.ts'
import { useExchange } from '../../../api/room/room-actions.ts'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'

const keyOf = (teamId: string) => `clawboo.room-exchange.${teamId}`

/** The last ended exchange, until another one starts or the person dismisses it; also one that ended while no page was open. */
export function useEndedExchange(teamId: string, room: Room): { ended: ExchangeView | null; dismiss: () => void } {
  const running = room.exchanges.find(({ status }) => status === 'running')
  /** The last exchange seen running, by this page or an earlier one. */
  const [followed, setFollowed] = useState(() => readStored(keyOf(teamId)))
  const [dismissed, setDismissed] = useState<string | null>(null)
  const runningId = running?.id
  useEffect(() => {
    if (runningId === undefined) return
    writeStored(keyOf(teamId), runningId)
    setFollowed(runningId)
  }, [teamId, runningId])
  const isKnown = room.ended?.id === followed || room.exchanges.some(({ id }) => id === followed)
  const asked = useExchange(running || isKnown ? null : followed).data
  const last = newest(room.ended, asked?.status === 'ended' ? asked : null)
  const dismiss = () => {
    writeStored(keyOf(teamId), null)
    setDismissed(last?.id ?? null)
  }
  return { ended: running || last?.id === dismissed ? null : last, dismiss }
}

function newest(one: ExchangeView | null, other: ExchangeView | null): ExchangeView | null {
  if (!one || !other) return one ?? other
  return other.ordinal > one.ordinal ? other : one
}
