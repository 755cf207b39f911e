import { type Db, join, type Sql, sql } from './sql.ts'

/** A team's room: where its posts are numbered, and which server speaks in it. */
export interface RoomRecord {
  readonly id: string
  readonly teamId: string
  /** The number of its last post; 0 = none yet. */
  readonly headSeq: number
  /** The holder of its lease, by the database's clock; null = nobody ever, or let go. */
  readonly owner: string | null
  readonly leaseUntil: number | null
  /** null = as everywhere. */
  readonly turnCap: number | null
  readonly wakesLeader: boolean
  readonly createdAt: number
}

export interface RoomSettings {
  readonly turnCap?: number | null
  readonly wakesLeader?: boolean
}

export interface RoomLease {
  readonly roomId: string
  readonly owner: string
  readonly leaseMs: number
}

export interface RoomsRepository {
  get(id: string): Promise<RoomRecord | null>
  /** The last post's number of every room that has one. */
  heads(): Promise<readonly { readonly teamId: string; readonly head: number }[]>
  /** Makes the room when the team has none. null = there is no such team. */
  ensure(room: { readonly id: string; readonly teamId: string; readonly at: number }): Promise<RoomRecord | null>
  /**
   * The next number of a post, or the last of so many that are next; null for an unknown room. Other writers of the room
   * wait until the transaction ends.
   */
  nextSeq(id: string, count?: number): Promise<number | null>
  /** The next number of an exchange, likewise. */
  nextOrdinal(id: string): Promise<number | null>
  /** null for an unknown room. */
  configure(id: string, settings: RoomSettings): Promise<RoomRecord | null>
  /** Also for who holds it already. False = another does. */
  takeLease(lease: RoomLease): Promise<boolean>
  /** False = it ran out and another took it: whoever speaks in the room stops. */
  renewLease(lease: RoomLease): Promise<boolean>
  releaseLease(lease: Omit<RoomLease, 'leaseMs'>): Promise<boolean>
}

export function createRoomsRepository(db: Db): RoomsRepository {
  const first = async (query: Sql) => {
    const row = await db.get<RoomRow>(query)
    return row ? roomRecord(row) : null
  }
  const get = (id: string) => first(sql`SELECT * FROM rooms WHERE id = ${id}`)
  return {
    get,
    heads: () =>
      db.all<{ teamId: string; head: number }>(
        sql`SELECT team_id AS "teamId", head_seq AS head FROM rooms WHERE head_seq > 0 ORDER BY team_id`,
      ),
    ensure: async ({ id, teamId, at }) => {
      await db.run(sql`INSERT INTO rooms (id, team_id, head_seq, last_ordinal, wakes_leader, created_at)
        SELECT CAST(${id} AS TEXT), teams.id, 0, 0, 0, CAST(${at} AS BIGINT) FROM teams WHERE teams.id = ${teamId}
        ON CONFLICT (id) DO NOTHING`)
      return get(id)
    },
    nextSeq: async (id, count = 1) => {
      const row = await db.get<{ seq: number }>(
        sql`UPDATE rooms SET head_seq = head_seq + ${count} WHERE id = ${id} RETURNING head_seq AS seq`,
      )
      return row?.seq ?? null
    },
    nextOrdinal: async (id) => {
      const row = await db.get<{ ordinal: number }>(
        sql`UPDATE rooms SET last_ordinal = last_ordinal + 1 WHERE id = ${id} RETURNING last_ordinal AS ordinal`,
      )
      return row?.ordinal ?? null
    },
    configure: (id, { turnCap, wakesLeader }) => {
      const assignments: Sql[] = []
      if (turnCap !== undefined) assignments.push(sql`turn_cap = ${turnCap}`)
      if (wakesLeader !== undefined) assignments.push(sql`wakes_leader = ${wakesLeader}`)
      if (assignments.length === 0) return get(id)
      return first(sql`UPDATE rooms SET ${join(assignments)} WHERE id = ${id} RETURNING *`)
    },
    takeLease: async ({ roomId, owner, leaseMs }) =>
      (await db.run(sql`UPDATE rooms
        SET owner_instance = ${owner}, lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${roomId}
          AND (owner_instance IS NULL OR owner_instance = ${owner} OR lease_until <= now_ms())`)) === 1,
    renewLease: async ({ roomId, owner, leaseMs }) =>
      (await db.run(sql`UPDATE rooms SET lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${roomId} AND owner_instance = ${owner}`)) === 1,
    releaseLease: async ({ roomId, owner }) =>
      (await db.run(sql`UPDATE rooms SET owner_instance = NULL, lease_until = NULL
        WHERE id = ${roomId} AND owner_instance = ${owner}`)) === 1,
  }
}

interface RoomRow {
  readonly id: string
  readonly team_id: string
  readonly head_seq: number
  readonly owner_instance: string | null
  readonly lease_until: number | null
  readonly turn_cap: number | null
  readonly wakes_leader: number
  readonly created_at: number
}

function roomRecord(row: RoomRow): RoomRecord {
  return {
    id: row.id,
    teamId: row.team_id,
    headSeq: row.head_seq,
    owner: row.owner_instance,
    leaseUntil: row.lease_until,
    turnCap: row.turn_cap,
    wakesLeader: row.wakes_leader === 1,
    createdAt: row.created_at,
  }
}
