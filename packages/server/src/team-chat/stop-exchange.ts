import type { ExchangeView } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { roomIdOf } from '@clawboo/core/team-chat'
import { roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged, exchangeView } from './exchange-view.ts'
import { type OpenExchange, openOf, saveKept } from './kept-exchange.ts'
import { withEvents } from './plan-step.ts'

/** Which exchange, or which chain of one. Neither = what is under way. */
export interface StopWish {
  readonly exchangeId?: string | undefined
  readonly chainId?: string | undefined
}

/**
 * A person wants an exchange, or what follows from one cause, to go no further. What waits is over at once; what is under
 * way is over when its turn has come to its end. Throws `exchange_not_found`.
 */
export function stopExchange(parts: DriverParts, teamId: string, wish: StopWish): Promise<ExchangeView> {
  const { chainId } = wish
  const about = { action: 'team-chat.stop', subject: teamId, lock: roomLock(teamId) }
  return parts.record<ExchangeView>(about, async (tx) => {
    const rows = await tx.exchanges.open(roomIdOf(teamId))
    const found = rows.flatMap((row) => openOf(row) ?? []).find((open) => isMeant(open, wish))
    if (!found) throw notFound(wish)
    const at = parts.now()
    const room = await tx.rooms.get(found.row.roomId)
    const event = chainId === undefined ? ({ type: 'aborted' } as const) : ({ type: 'chain_stopped', chainId } as const)
    const open = withEvents(found, [event])
    const isWaiting = found.row.status === 'queued'
    const ended = isWaiting && (await tx.exchanges.end(found.row.id, null, { reason: 'aborted', state: open.kept, at }))
    if (!ended) await saveKept(tx, open, at)
    const after = { ...open, row: ended || open.row }
    return {
      result: exchangeView(after, room),
      events: [exchangeChanged(after, room)],
      detail: { exchangeId: found.row.id, chainId: chainId ?? null },
    }
  })
}

function isMeant({ row, kept }: OpenExchange, { exchangeId, chainId }: StopWish): boolean {
  if (exchangeId !== undefined && row.id !== exchangeId) return false
  if (chainId !== undefined) return kept.exchange.chains.some(({ id }) => id === chainId)
  return exchangeId !== undefined || row.status === 'running'
}

function notFound({ exchangeId, chainId }: StopWish): ClawbooError {
  const what =
    chainId !== undefined
      ? `no exchange that goes on has the chain "${chainId}"`
      : exchangeId !== undefined
        ? `no exchange "${exchangeId}" goes on in this room`
        : 'no exchange is under way in this room'
  return new ClawbooError('exchange_not_found', what, { details: { exchangeId, chainId } })
}
