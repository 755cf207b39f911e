import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, sql } from '../../sql.ts'

interface NewExchange {
  readonly id: string
  readonly roomId: string
  /** The place in the room's queue, from `rooms.nextOrdinal`. */
  readonly ordinal: number
  /** The post that started the exchange; null = a signal of the board. */
  readonly stimulusSeq: number | null
  readonly state: unknown
  readonly createdAt: number
}

/** One exchange of a room, in its state between two turns. */
export interface StoredExchange extends NewExchange {
  /** A JSON value. The caller checks its shape. */
  readonly state: unknown
  readonly status: 'queued' | 'running' | 'ended'
  readonly reason: string | null
  /** The server that drives the exchange. */
  readonly owner: string | null
  readonly startedAt: number | null
  readonly updatedAt: number
  readonly endedAt: number | null
}

export function createExchangesRepository(db: Db) {
  const { all, first } = readRecords(db, storedExchange)
  return {
    /** Adds an exchange, which waits for the earlier exchanges of its room. */
    insert: async ({ id, roomId, ordinal, stimulusSeq, state, createdAt }: NewExchange) =>
      (await first(sql`INSERT INTO room_exchanges (id, room_id, ordinal, stimulus_seq, state, status, created_at, updated_at)
        VALUES (${id}, ${roomId}, ${ordinal}, ${stimulusSeq}, ${stateText(state)}, 'queued', ${createdAt}, ${createdAt})
        RETURNING ${COLUMNS}`))!,
    get: (id: string) => first(sql`SELECT ${COLUMNS} FROM room_exchanges WHERE id = ${id}`),
    /** The exchanges of one room or of all rooms that have not ended, in the order of the queue. */
    open: (roomId?: string) =>
      all(sql`SELECT ${COLUMNS} FROM room_exchanges
        WHERE ${roomId === undefined ? sql`1 = 1` : sql`room_id = ${roomId}`} AND status <> 'ended'
        ORDER BY room_id, ordinal`),
    /** Newest first. Lists only exchanges before `beforeOrdinal`. */
    list: (roomId: string, { limit, beforeOrdinal }: { readonly limit: number; readonly beforeOrdinal?: number }) =>
      all(sql`SELECT ${COLUMNS} FROM room_exchanges WHERE room_id = ${roomId}
        ${beforeOrdinal === undefined ? sql`` : sql`AND ordinal < ${beforeOrdinal}`}
        ORDER BY ordinal DESC LIMIT ${limit}`),
    /** Also continues an exchange that another server left running. null when the exchange has ended. */
    start: (id: string, owner: string, at: number) =>
      first(sql`UPDATE room_exchanges SET status = 'running', owner_instance = ${owner},
        started_at = coalesce(started_at, ${at}), updated_at = ${at}
        WHERE id = ${id} AND status <> 'ended' RETURNING ${COLUMNS}`),
    /** False when the exchange has another owner now. Then nothing is written. */
    save: async (id: string, owner: string, { state, at }: { readonly state: unknown; readonly at: number }) =>
      (await db.run(sql`UPDATE room_exchanges SET state = ${stateText(state)}, updated_at = ${at}
        WHERE id = ${id} AND status = 'running' AND owner_instance = ${owner}`)) === 1,
    /** null when the exchange has another owner now. An owner of null ends an exchange that is still waiting. */
    end: (
      id: string,
      owner: string | null,
      { reason, state, at }: { readonly reason: string; readonly state?: unknown; readonly at: number },
    ) =>
      first(sql`UPDATE room_exchanges SET status = 'ended', reason = ${reason}, updated_at = ${at}, ended_at = ${at}
        ${state === undefined ? sql`` : sql`, state = ${stateText(state)}`}
        WHERE id = ${id} AND ${owner === null ? sql`status = 'queued'` : sql`status = 'running' AND owner_instance = ${owner}`}
        RETURNING ${COLUMNS}`),
  }
}

function stateText(state: unknown): string {
  const text = JSON.stringify(state)
  if (text === undefined) throw new TypeError('the state of an exchange has no JSON')
  return text
}

const COLUMNS = sql`id, room_id, ordinal, stimulus_seq, state, status, reason, owner_instance AS owner, created_at, started_at,
  updated_at, ended_at`

const storedExchange = rowDecoder<StoredExchange>({ json: ['state'] })
