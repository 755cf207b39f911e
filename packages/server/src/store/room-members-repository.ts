import { type Db, sql } from './sql.ts'

/** What an agent brings to its next turn in a room. */
export interface RoomMemberState {
  readonly roomId: string
  readonly agentId: string
  /** The last post that was delivered to it; 0 = none. */
  readonly cursorSeq: number
  /** Its runtime's own; null = it begins anew. */
  readonly sessionId: string | null
  /** What its last turn came to, in its own words. */
  readonly summary: string | null
  readonly updatedAt: number
}

export interface RoomMembersRepository {
  get(roomId: string, agentId: string): Promise<RoomMemberState | null>
  /** In order of agent. */
  list(roomId: string): Promise<RoomMemberState[]>
  /** False, and nothing is written, when it would set the cursor back. */
  save(state: RoomMemberState): Promise<boolean>
}

export function createRoomMembersRepository(db: Db): RoomMembersRepository {
  return {
    get: async (roomId, agentId) => {
      const row = await db.get<MemberRow>(
        sql`SELECT * FROM room_members WHERE room_id = ${roomId} AND agent_id = ${agentId}`,
      )
      return row ? memberState(row) : null
    },
    list: async (roomId) => {
      const rows = await db.all<MemberRow>(sql`SELECT * FROM room_members WHERE room_id = ${roomId} ORDER BY agent_id`)
      return rows.map(memberState)
    },
    save: async ({ roomId, agentId, cursorSeq, sessionId, summary, updatedAt }) =>
      (await db.run(sql`INSERT INTO room_members (room_id, agent_id, cursor_seq, session_id, summary, updated_at)
        VALUES (${roomId}, ${agentId}, ${cursorSeq}, ${sessionId}, ${summary}, ${updatedAt})
        ON CONFLICT (room_id, agent_id) DO UPDATE SET cursor_seq = excluded.cursor_seq,
          session_id = excluded.session_id, summary = excluded.summary, updated_at = excluded.updated_at
        WHERE room_members.cursor_seq <= excluded.cursor_seq`)) === 1,
  }
}

interface MemberRow {
  readonly room_id: string
  readonly agent_id: string
  readonly cursor_seq: number
  readonly session_id: string | null
  readonly summary: string | null
  readonly updated_at: number
}

function memberState(row: MemberRow): RoomMemberState {
  return {
    roomId: row.room_id,
    agentId: row.agent_id,
    cursorSeq: row.cursor_seq,
    sessionId: row.session_id,
    summary: row.summary,
    updatedAt: row.updated_at,
  }
}
