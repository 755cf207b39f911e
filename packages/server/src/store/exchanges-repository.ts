import { type Db, type Sql, sql } from './sql.ts'

export interface NewExchange {
  readonly id: string
  readonly roomId: string
  /** Its place in the room's queue, from `rooms.nextOrdinal`. */
  readonly ordinal: number
  /** The post that began it; null = a signal of the board. */
  readonly stimulusSeq: number | null
  readonly state: unknown
  readonly createdAt: number
}

/** One exchange of a room, between turns. */
export interface StoredExchange extends NewExchange {
  /** JSON; whoever wrote it knows its shape. */
  readonly state: unknown
  readonly status: 'queued' | 'running' | 'ended'
  readonly reason: string | null
  /** Who drives it. */
  readonly owner: string | null
  readonly startedAt: number | null
  readonly updatedAt: number
  readonly endedAt: number | null
}

export interface ExchangesRepository {
  /** Queued, behind the others of its room. */
  insert(exchange: NewExchange): Promise<StoredExchange>
  get(id: string): Promise<StoredExchange | null>
  /** The first in the queue first; of every room when none is named. */
  open(roomId?: string): Promise<StoredExchange[]>
  /** The newest first, behind `beforeOrdinal`. */
  list(roomId: string, page: { readonly limit: number; readonly beforeOrdinal?: number }): Promise<StoredExchange[]>
  /** Also takes over what another server left running. null when it has ended. */
  start(id: string, owner: string, at: number): Promise<StoredExchange | null>
  /** False when it is not this owner's any more: then nothing is written. */
  save(id: string, owner: string, change: { readonly state: unknown; readonly at: number }): Promise<boolean>
  /** null when it is not this owner's any more. An owner of null ends one that still waits. */
  end(
    id: string,
    owner: string | null,
    end: { readonly reason: string; readonly state?: unknown; readonly at: number },
  ): Promise<StoredExchange | null>
}

export function createExchangesRepository(db: Db): ExchangesRepository {
  const all = async (query: Sql) => (await db.all<ExchangeRow>(query)).map(storedExchange)
  const first = async (query: Sql) => (await all(query))[0] ?? null
  return {
    insert: async ({ id, roomId, ordinal, stimulusSeq, state, createdAt }) =>
      (await first(sql`INSERT INTO room_exchanges (id, room_id, ordinal, stimulus_seq, state, status, created_at, updated_at)
        VALUES (${id}, ${roomId}, ${ordinal}, ${stimulusSeq}, ${stateText(state)}, 'queued', ${createdAt}, ${createdAt})
        RETURNING *`))!,
    get: (id) => first(sql`SELECT * FROM room_exchanges WHERE id = ${id}`),
    open: (roomId) =>
      all(sql`SELECT * FROM room_exchanges
        WHERE ${roomId === undefined ? sql`1 = 1` : sql`room_id = ${roomId}`} AND status <> 'ended'
        ORDER BY room_id, ordinal`),
    list: (roomId, { limit, beforeOrdinal }) =>
      all(sql`SELECT * FROM room_exchanges WHERE room_id = ${roomId}
        ${beforeOrdinal === undefined ? sql`` : sql`AND ordinal < ${beforeOrdinal}`}
        ORDER BY ordinal DESC LIMIT ${limit}`),
    start: (id, owner, at) =>
      first(sql`UPDATE room_exchanges SET status = 'running', owner_instance = ${owner},
        started_at = coalesce(started_at, ${at}), updated_at = ${at}
        WHERE id = ${id} AND status <> 'ended' RETURNING *`),
    save: async (id, owner, { state, at }) =>
      (await db.run(sql`UPDATE room_exchanges SET state = ${stateText(state)}, updated_at = ${at}
        WHERE id = ${id} AND status = 'running' AND owner_instance = ${owner}`)) === 1,
    end: (id, owner, { reason, state, at }) =>
      first(sql`UPDATE room_exchanges SET status = 'ended', reason = ${reason}, updated_at = ${at}, ended_at = ${at}
        ${state === undefined ? sql`` : sql`, state = ${stateText(state)}`}
        WHERE id = ${id} AND ${owner === null ? sql`status = 'queued'` : sql`status = 'running' AND owner_instance = ${owner}`}
        RETURNING *`),
  }
}

function stateText(state: unknown): string {
  const text = JSON.stringify(state)
  if (text === undefined) throw new TypeError('the state of an exchange has no JSON')
  return text
}

interface ExchangeRow {
  readonly id: string
  readonly room_id: string
  readonly ordinal: number
  readonly stimulus_seq: number | null
  readonly state: string
  readonly status: StoredExchange['status']
  readonly reason: string | null
  readonly owner_instance: string | null
  readonly created_at: number
  readonly started_at: number | null
  readonly updated_at: number
  readonly ended_at: number | null
}

function storedExchange(row: ExchangeRow): StoredExchange {
  return {
    id: row.id,
    roomId: row.room_id,
    ordinal: row.ordinal,
    stimulusSeq: row.stimulus_seq,
    state: JSON.parse(row.state) as unknown,
    status: row.status,
    reason: row.reason,
    owner: row.owner_instance,
    createdAt: row.created_at,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  }
}
