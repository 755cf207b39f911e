import { type Db, sql } from '../../sql.ts'

/** The state of an agent in a room, for its next turn there. */
interface RoomMemberState {
  readonly roomId: string
  readonly agentId: string
  /** The last post that was delivered to the agent; 0 = none. */
  readonly cursorSeq: number
  /** The agent's own summary of its last turn. */
  readonly summary: string | null
  readonly updatedAt: number
}

export function createRoomMembersRepository(db: Db) {
  return {
    get: async (roomId: string, agentId: string) =>
      (await db.get<RoomMemberState>(
        sql`SELECT * FROM room_members WHERE room_id = ${roomId} AND agent_id = ${agentId}`,
      )) ?? null,
    /** Ordered by agent. */
    list: (roomId: string): Promise<RoomMemberState[]> =>
      db.all(sql`SELECT * FROM room_members WHERE room_id = ${roomId} ORDER BY agent_id`),
    /** False, and writes nothing, when the cursor would move back. */
    save: async ({ roomId, agentId, cursorSeq, summary, updatedAt }: RoomMemberState) =>
      (await db.run(sql`INSERT INTO room_members (room_id, agent_id, cursor_seq, summary, updated_at)
        VALUES (${roomId}, ${agentId}, ${cursorSeq}, ${summary}, ${updatedAt})
        ON CONFLICT (room_id, agent_id) DO UPDATE SET cursor_seq = excluded.cursor_seq,
          summary = excluded.summary, updated_at = excluded.updated_at
        WHERE room_members.cursor_seq <= excluded.cursor_seq`)) === 1,
  }
}
