import { type ExchangeState, readExchangeState, teamIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredExchange } from '../store/repositories/rooms/exchanges-repository.ts'

/** What an exchange's row holds: core's state, and what the server needs to go on with it after a crash. */
export interface KeptExchange {
  readonly exchange: ExchangeState
  /** The turn that was begun and not closed; null = none. */
  readonly turn: OpenTurn | null
  /** The runs of its turns, and in which chain each of them spoke. */
  readonly runs: readonly (Cause & { readonly runId: string })[]
  /** Tasks that were handed on, and in which chain. `told`: the last signal that came of each. */
  readonly tasks: readonly (Cause & { readonly taskId: string; readonly told: string })[]
  /** Up to which post of the room was looked for what follows from it; null = it has not begun. */
  readonly seenSeq: number | null
  /** How often the turn that is due was cut off. */
  readonly interruptions: number
}

interface Cause {
  readonly agentId: string
  readonly chainId: string
  readonly hops: number
}

export interface OpenTurn extends Cause {
  readonly runId: string
  readonly promptId: string
  /** Its number in the exchange. */
  readonly turn: number
  readonly because: 'obligation' | 'leader'
  /** The obligations that it was given. */
  readonly answers: readonly number[]
  /** The last post of the room that its prompt speaks of. */
  readonly toSeq: number
}

export function beginKept(exchange: ExchangeState): KeptExchange {
  return { exchange, turn: null, runs: [], tasks: [], seenSeq: null, interruptions: 0 }
}

/** An exchange that goes on, as its row says; null when it has ended or its row cannot be read. */
export interface OpenExchange {
  readonly row: StoredExchange
  readonly teamId: string
  readonly kept: KeptExchange
}

export async function readOpen(tx: Pick<Repositories, 'exchanges'>, id: string): Promise<OpenExchange | null> {
  const row = await tx.exchanges.get(id)
  return row && row.status !== 'ended' ? openOf(row) : null
}

/** null when nobody can read what was kept, or no server of this version wrote it. */
export function openOf(row: StoredExchange): OpenExchange | null {
  const kept = row.state as KeptExchange | null
  const teamId = teamIdOf(row.roomId)
  if (teamId === null || typeof kept !== 'object' || kept === null) return null
  if (!Array.isArray(kept.runs) || !Array.isArray(kept.tasks)) return null
  return readExchangeState(JSON.stringify(kept.exchange ?? null)).ok ? { row, teamId, kept } : null
}

/** Writes it back. Whoever calls holds the room and has read the row there: nobody can have taken it over since. */
export async function saveKept(
  tx: Pick<Repositories, 'exchanges'>,
  { row, kept }: OpenExchange,
  at: number,
): Promise<void> {
  const isSaved = row.owner !== null && (await tx.exchanges.save(row.id, row.owner, { state: kept, at }))
  if (!isSaved) throw new Error(`the exchange "${row.id}" changed hands while its room was held`)
}
