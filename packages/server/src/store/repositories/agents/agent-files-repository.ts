import { createHash } from 'node:crypto'
import type { AgentFileName, AgentFileRevision, AgentFileRevisionInfo } from '@clawboo/core/registry'
import { type Db, type Sql, sql } from '../../sql.ts'

interface NewAgentFileRevision {
  readonly agentId: string
  readonly name: AgentFileName
  readonly content: string
  readonly author: string
  /** The revision that the author has seen; 0 = the file did not exist yet. */
  readonly expectedRevision: number
  readonly at: number
}

/** Every revision of every agent's files. A revision is never overwritten. */
export function createAgentFilesRepository(db: Db) {
  const first = async (query: Sql) => (await db.get<AgentFileRevision>(query)) ?? null
  return {
    /** null = the file was never written. */
    latest: (agentId: string, name: AgentFileName) =>
      first(sql`SELECT ${INFO}, content FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} ORDER BY revision DESC LIMIT 1`),
    /** The newest revision of each file, ordered by name. */
    latestAll: (agentId: string): Promise<AgentFileRevisionInfo[]> =>
      db.all(sql`SELECT ${INFO} FROM agent_file_revisions AS newest
        WHERE agent_id = ${agentId} AND revision = (SELECT max(older.revision) FROM agent_file_revisions AS older
          WHERE older.agent_id = newest.agent_id AND older.name = newest.name)
        ORDER BY name`),
    /** The newest text of each file that was written. */
    latestTexts: async (agentId: string) => {
      const rows = await db.all<Pick<AgentFileRevision, 'name' | 'content'>>(sql`SELECT name, content
        FROM agent_file_revisions AS newest
        WHERE agent_id = ${agentId} AND revision = (SELECT max(older.revision) FROM agent_file_revisions AS older
          WHERE older.agent_id = newest.agent_id AND older.name = newest.name)`)
      return new Map(rows.map(({ name, content }) => [name, content]))
    },
    get: (agentId: string, name: AgentFileName, revision: number) =>
      first(sql`SELECT ${INFO}, content FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} AND revision = ${revision}`),
    /** Newest first. Lists only revisions before `before`. */
    history: (
      agentId: string,
      name: AgentFileName,
      { limit, before }: { limit: number; before?: number },
    ): Promise<AgentFileRevisionInfo[]> =>
      db.all(sql`SELECT ${INFO} FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} AND revision < ${before ?? Number.MAX_SAFE_INTEGER}
        ORDER BY revision DESC LIMIT ${limit}`),
    /** null when another author has written since. Of several authors who saw the same revision, one wins. */
    append: (revision: NewAgentFileRevision) => first(appendStatement(revision)),
  }
}

const INFO = sql`agent_id, name, revision, hash, octet_length(content) AS bytes, author, created_at`

function appendStatement({ agentId, name, content, author, expectedRevision, at }: NewAgentFileRevision): Sql {
  const hash = createHash('sha256').update(content).digest('hex')
  return sql`INSERT INTO agent_file_revisions (agent_id, name, revision, hash, content, author, created_at)
    SELECT CAST(${agentId} AS TEXT), CAST(${name} AS TEXT), CAST(${expectedRevision + 1} AS BIGINT), CAST(${hash} AS TEXT),
      CAST(${content} AS TEXT), CAST(${author} AS TEXT), CAST(${at} AS BIGINT)
    WHERE (SELECT coalesce(max(revision), 0) FROM agent_file_revisions WHERE agent_id = ${agentId} AND name = ${name})
      = ${expectedRevision}
    ON CONFLICT (agent_id, name, revision) DO NOTHING
    RETURNING ${INFO}, content`
}
