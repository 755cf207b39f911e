import type { ExchangeView } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { roomIdOf } from '@clawboo/core/team-chat'
import { roomLock } from '../posts/append-post.ts'
import {
  applyEvents,
  exchangeChanged,
  exchangeView,
  type OpenExchange,
  parseExchange,
  saveExchange,
} from './exchange-record.ts'
import type { ExchangeServices } from './exchange-services.ts'

/** An exchange, or one chain. Without both, the running exchange. */
export interface StopRequest {
  readonly exchangeId?: string | undefined
  readonly chainId?: string | undefined
}

/**
 * Stops an exchange, or everything that follows from one cause. A waiting exchange ends at once; a running one ends
 * when its turn has ended. Throws `exchange_not_found`.
 */
export function stopExchange(services: ExchangeServices, teamId: string, request: StopRequest): Promise<ExchangeView> {
  const { chainId } = request
  const change = { action: 'team-chat.stop', subject: teamId, lock: roomLock(teamId) }
  return services.record<ExchangeView>(change, async (tx) => {
    const rows = await tx.exchanges.open(roomIdOf(teamId))
    const found = rows.flatMap((row) => parseExchange(row) ?? []).find((open) => isRequested(open, request))
    if (!found) throw notFound(request)
    const at = services.now()
    const room = await tx.rooms.get(found.row.roomId)
    const event = chainId === undefined ? ({ type: 'aborted' } as const) : ({ type: 'chain_stopped', chainId } as const)
    const open = applyEvents(found, [event])
    const ended =
      found.row.status === 'queued' &&
      (await tx.exchanges.end(found.row.id, null, { reason: 'aborted', state: open.stored, at }))
    if (!ended) await saveExchange(tx, open, at)
    const after = { ...open, row: ended || open.row }
    return {
      result: exchangeView(after, room),
      events: [exchangeChanged(after, room)],
      detail: { exchangeId: found.row.id, chainId: chainId ?? null },
    }
  })
}

function isRequested({ row, stored }: OpenExchange, { exchangeId, chainId }: StopRequest): boolean {
  if (exchangeId !== undefined && row.id !== exchangeId) return false
  if (chainId !== undefined) return stored.exchange.chains.some(({ id }) => id === chainId)
  return exchangeId !== undefined || row.status === 'running'
}

function notFound({ exchangeId, chainId }: StopRequest): ClawbooError {
  const problem =
    chainId !== undefined
      ? `no open exchange has the chain "${chainId}"`
      : exchangeId !== undefined
        ? `this room has no open exchange "${exchangeId}"`
        : 'no exchange is running in this room'
  return new ClawbooError('exchange_not_found', problem, { details: { exchangeId, chainId } })
}
