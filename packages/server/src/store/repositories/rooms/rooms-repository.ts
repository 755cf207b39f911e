import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, type Sql, sql } from '../../sql.ts'

/** A team's room. It numbers its posts and records which server drives its exchanges. */
export interface RoomRecord {
  readonly id: string
  readonly teamId: string
  /** The number of the last post; 0 = no post yet. */
  readonly headSeq: number
  /** The server that has the lease; null = the lease is free. */
  readonly owner: string | null
  /** By the database's clock. */
  readonly leaseUntil: number | null
  /** null = the general setting. */
  readonly turnCap: number | null
  readonly wakesLeader: boolean
  readonly createdAt: number
}

export interface RoomSettings {
  readonly turnCap?: number | null
  readonly wakesLeader?: boolean
}

interface RoomLease {
  readonly roomId: string
  readonly owner: string
  readonly leaseMs: number
}

export function createRoomsRepository(db: Db) {
  const { first } = readRecords(db, roomRecord)
  const get = (id: string) => first(sql`SELECT ${COLUMNS} FROM rooms WHERE id = ${id}`)
  return {
    get,
    /** The number of the last post of every room that has posts. */
    heads: (): Promise<readonly { readonly teamId: string; readonly head: number }[]> =>
      db.all(sql`SELECT team_id, head_seq AS head FROM rooms WHERE head_seq > 0 ORDER BY team_id`),
    /** Creates the room when the team has none. null = there is no such team. */
    ensure: async ({ id, teamId, at }: { readonly id: string; readonly teamId: string; readonly at: number }) => {
      await db.run(sql`INSERT INTO rooms (id, team_id, head_seq, last_ordinal, wakes_leader, created_at)
        SELECT CAST(${id} AS TEXT), teams.id, 0, 0, 0, CAST(${at} AS BIGINT) FROM teams WHERE teams.id = ${teamId}
        ON CONFLICT (id) DO NOTHING`)
      return get(id)
    },
    /**
     * Takes the next `count` numbers for posts and resolves to the last one; null for an unknown room. Other writers of the
     * room wait until the transaction ends.
     */
    nextSeq: async (id: string, count: number = 1) => {
      const row = await db.get<{ seq: number }>(
        sql`UPDATE rooms SET head_seq = head_seq + ${count} WHERE id = ${id} RETURNING head_seq AS seq`,
      )
      return row?.seq ?? null
    },
    /** Takes the next number for an exchange in the same way. */
    nextOrdinal: async (id: string) => {
      const row = await db.get<{ ordinal: number }>(
        sql`UPDATE rooms SET last_ordinal = last_ordinal + 1 WHERE id = ${id} RETURNING last_ordinal AS ordinal`,
      )
      return row?.ordinal ?? null
    },
    /** null for an unknown room. */
    configure: (id: string, { turnCap, wakesLeader }: RoomSettings) => {
      const assignments: Sql[] = []
      if (turnCap !== undefined) assignments.push(sql`turn_cap = ${turnCap}`)
      if (wakesLeader !== undefined) assignments.push(sql`wakes_leader = ${wakesLeader}`)
      if (assignments.length === 0) return get(id)
      return first(sql`UPDATE rooms SET ${join(assignments)} WHERE id = ${id} RETURNING ${COLUMNS}`)
    },
    /** False = another server has the lease. An owner that already has the lease gets it again. */
    takeLease: async ({ roomId, owner, leaseMs }: RoomLease) =>
      (await db.run(sql`UPDATE rooms
        SET owner_instance = ${owner}, lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${roomId}
          AND (owner_instance IS NULL OR owner_instance = ${owner} OR lease_until <= now_ms())`)) === 1,
    /** False = the lease expired and another server took it. This server must then stop driving the room. */
    renewLease: async ({ roomId, owner, leaseMs }: RoomLease) =>
      (await db.run(sql`UPDATE rooms SET lease_until = now_ms() + CAST(${leaseMs} AS BIGINT)
        WHERE id = ${roomId} AND owner_instance = ${owner}`)) === 1,
    releaseLease: async ({ roomId, owner }: Omit<RoomLease, 'leaseMs'>) =>
      (await db.run(sql`UPDATE rooms SET owner_instance = NULL, lease_until = NULL
        WHERE id = ${roomId} AND owner_instance = ${owner}`)) === 1,
  }
}

const COLUMNS = sql`id, team_id, head_seq, owner_instance AS owner, lease_until, turn_cap, wakes_leader, created_at`

const roomRecord = rowDecoder<RoomRecord>({ booleans: ['wakesLeader'] })
