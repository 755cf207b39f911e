import type { SessionRecord } from '@clawboo/core/registry'
import { type Db, sql } from './sql.ts'

export interface SessionsRepository {
  /** Newest activity first. */
  list(agentId: string): Promise<SessionRecord[]>
  /** One row per agent and upstream key: a known one keeps its id and its creation time. Resolves to what is stored. */
  upsert(session: SessionRecord): Promise<SessionRecord>
  remove(id: string): Promise<boolean>
}

export function createSessionsRepository(db: Db): SessionsRepository {
  return {
    list: async (agentId) => {
      const rows = await db.all<SessionRow>(
        sql`SELECT * FROM sessions WHERE agent_id = ${agentId} ORDER BY updated_at DESC, id`,
      )
      return rows.map(sessionRecord)
    },
    upsert: async (session) => {
      const row =
        await db.get<SessionRow>(sql`INSERT INTO sessions (id, agent_id, source_session_id, title, status, created_at, updated_at)
        VALUES (${session.id}, ${session.agentId}, ${session.sourceSessionId}, ${session.title}, ${session.status},
          ${session.createdAt}, ${session.updatedAt})
        ON CONFLICT (agent_id, source_session_id) DO UPDATE
          SET title = excluded.title, status = excluded.status, updated_at = excluded.updated_at
        RETURNING *`)
      return sessionRecord(row!)
    },
    remove: async (id) => (await db.run(sql`DELETE FROM sessions WHERE id = ${id}`)) === 1,
  }
}

interface SessionRow {
  readonly id: string
  readonly agent_id: string
  readonly source_session_id: string
  readonly title: string | null
  readonly status: SessionRecord['status']
  readonly created_at: number
  readonly updated_at: number
}

function sessionRecord(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    sourceSessionId: row.source_session_id,
    title: row.title,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
