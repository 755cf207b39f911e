import type { SessionRecord } from '@clawboo/core/registry'
import { type Db, sql } from '../../sql.ts'

const PREVIEW_CHARACTERS = 200

/** The conversations that an agent has run in, derived from its runs. */
export function createSessionsRepository(db: Db) {
  return {
    /** At most `limit` conversations, the latest activity first. They have no title. */
    list: async (agentId: string, limit: number): Promise<SessionRecord[]> => {
      // Steps through the index from key to key, because an agent has thousands of runs in a few conversations.
      const rows = await db.all<SessionRow>(sql`WITH RECURSIVE conversation (session_key) AS (
          SELECT min(session_key) FROM runs WHERE agent_id = ${agentId}
          UNION ALL
          SELECT (SELECT min(runs.session_key) FROM runs
            WHERE runs.agent_id = ${agentId} AND runs.session_key > conversation.session_key)
          FROM conversation WHERE conversation.session_key IS NOT NULL
        )
        SELECT conversation.session_key, newest.state, substr(newest.last_text, 1, ${PREVIEW_CHARACTERS}) AS preview,
          coalesce(newest.ended_at, newest.started_at) AS updated_at,
          (SELECT min(runs.started_at) FROM runs
            WHERE runs.agent_id = ${agentId} AND runs.session_key = conversation.session_key) AS created_at
        FROM conversation JOIN runs AS newest ON newest.id = (SELECT runs.id FROM runs
          WHERE runs.agent_id = ${agentId} AND runs.session_key = conversation.session_key
          ORDER BY runs.started_at DESC, runs.id DESC LIMIT 1)
        ORDER BY updated_at DESC, conversation.session_key LIMIT ${limit}`)
      return rows.map((row) => ({
        id: row.sessionKey,
        agentId,
        sourceSessionId: row.sessionKey,
        title: null,
        preview: row.preview || null,
        status: row.state === 'running' ? 'active' : 'idle',
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
      }))
    },
  }
}

interface SessionRow {
  readonly sessionKey: string
  readonly state: 'running' | 'ended'
  readonly preview: string
  readonly createdAt: number
  readonly updatedAt: number
}
