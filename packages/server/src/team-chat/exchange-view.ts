import type { ExchangeView, LiveEvent } from '@clawboo/api/live-event'
import { type EndReason, MAX_TURNS, turnBound } from '@clawboo/core/team-chat'
import type { RoomRecord } from '../store/repositories/rooms/rooms-repository.ts'
import type { OpenExchange } from './kept-exchange.ts'

/** How an exchange is shown. */
export function exchangeView(
  { row, teamId, kept }: OpenExchange,
  room: Pick<RoomRecord, 'turnCap'> | null,
): ExchangeView {
  const { exchange, turn } = kept
  return {
    id: row.id,
    teamId,
    ordinal: row.ordinal,
    status: row.status,
    reason: row.reason as EndReason | null,
    stimulusSeq: row.stimulusSeq,
    turns: exchange.turns.length,
    bound: turnBound(exchange, policyOf(room)),
    speaker:
      turn === null || row.status === 'ended'
        ? null
        : {
            ...{ agentId: turn.agentId, runId: turn.runId, turn: turn.turn },
            ...{ because: turn.because, chainId: turn.chainId },
          },
    pending: exchange.obligations.map(({ agentId, because, chainId }) => ({ agentId, because, chainId })),
    chains: exchange.chains.map(({ id, begunBy, hops, ended }) => ({ id, begunBy, hops, ended })),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  }
}

export function exchangeChanged(open: OpenExchange, room: Pick<RoomRecord, 'turnCap'> | null): LiveEvent {
  return { type: 'exchange-changed', exchange: exchangeView(open, room) }
}

export function policyOf(room: Pick<RoomRecord, 'turnCap'> | null) {
  return { maxTurns: room?.turnCap ?? MAX_TURNS.default }
}
