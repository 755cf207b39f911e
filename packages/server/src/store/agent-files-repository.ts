import { createHash } from 'node:crypto'
import type { AgentFileName, AgentFileRevision, AgentFileRevisionInfo } from '@clawboo/core/registry'
import { type Db, sql } from './sql.ts'

export interface NewAgentFileRevision {
  readonly agentId: string
  readonly name: AgentFileName
  readonly content: string
  readonly author: string
  /** The revision the author has seen; 0 = none yet. */
  readonly expectedRevision: number
  readonly at: number
}

/** Every version of every agent's files. Nothing is overwritten. */
export interface AgentFilesRepository {
  /** null = never written. */
  latest(agentId: string, name: AgentFileName): Promise<AgentFileRevision | null>
  /** The newest revision of each file, in order of name. */
  latestAll(agentId: string): Promise<AgentFileRevisionInfo[]>
  /** The newest text of each file that was written. */
  latestTexts(agentId: string): Promise<ReadonlyMap<AgentFileName, string>>
  get(agentId: string, name: AgentFileName, revision: number): Promise<AgentFileRevision | null>
  /** Newest first; `before` is the revision to go on from. */
  history(
    agentId: string,
    name: AgentFileName,
    options: { limit: number; before?: number },
  ): Promise<AgentFileRevisionInfo[]>
  /** null when somebody else has written since: of several authors who saw the same revision, one wins. */
  append(revision: NewAgentFileRevision): Promise<AgentFileRevision | null>
}

export function createAgentFilesRepository(db: Db): AgentFilesRepository {
  return {
    latest: async (agentId, name) => {
      const row = await db.get<RevisionRow>(sql`SELECT ${INFO}, content FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} ORDER BY revision DESC LIMIT 1`)
      return row ? fileRevision(row) : null
    },
    latestAll: async (agentId) => {
      const rows = await db.all<InfoRow>(sql`SELECT ${INFO} FROM agent_file_revisions AS newest
        WHERE agent_id = ${agentId} AND revision = (SELECT max(older.revision) FROM agent_file_revisions AS older
          WHERE older.agent_id = newest.agent_id AND older.name = newest.name)
        ORDER BY name`)
      return rows.map(revisionInfo)
    },
    latestTexts: async (agentId) => {
      const rows = await db.all<Pick<RevisionRow, 'name' | 'content'>>(sql`SELECT name, content
        FROM agent_file_revisions AS newest
        WHERE agent_id = ${agentId} AND revision = (SELECT max(older.revision) FROM agent_file_revisions AS older
          WHERE older.agent_id = newest.agent_id AND older.name = newest.name)`)
      return new Map(rows.map(({ name, content }) => [name, content]))
    },
    get: async (agentId, name, revision) => {
      const row = await db.get<RevisionRow>(sql`SELECT ${INFO}, content FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} AND revision = ${revision}`)
      return row ? fileRevision(row) : null
    },
    history: async (agentId, name, { limit, before }) => {
      const rows = await db.all<InfoRow>(sql`SELECT ${INFO} FROM agent_file_revisions
        WHERE agent_id = ${agentId} AND name = ${name} AND revision < ${before ?? Number.MAX_SAFE_INTEGER}
        ORDER BY revision DESC LIMIT ${limit}`)
      return rows.map(revisionInfo)
    },
    append: (revision) => append(db, revision),
  }
}

const INFO = sql`agent_id, name, revision, hash, octet_length(content) AS bytes, author, created_at`

interface InfoRow {
  readonly agent_id: string
  readonly name: AgentFileName
  readonly revision: number
  readonly hash: string
  readonly bytes: number
  readonly author: string
  readonly created_at: number
}

interface RevisionRow extends InfoRow {
  readonly content: string
}

async function append(db: Db, next: NewAgentFileRevision): Promise<AgentFileRevision | null> {
  const { agentId, name, content, author, expectedRevision, at } = next
  const hash = createHash('sha256').update(content).digest('hex')
  const row = await db.get<RevisionRow>(sql`INSERT INTO agent_file_revisions
      (agent_id, name, revision, hash, content, author, created_at)
    SELECT CAST(${agentId} AS TEXT), CAST(${name} AS TEXT), CAST(${expectedRevision + 1} AS BIGINT), CAST(${hash} AS TEXT),
      CAST(${content} AS TEXT), CAST(${author} AS TEXT), CAST(${at} AS BIGINT)
    WHERE (SELECT coalesce(max(revision), 0) FROM agent_file_revisions WHERE agent_id = ${agentId} AND name = ${name})
      = ${expectedRevision}
    ON CONFLICT (agent_id, name, revision) DO NOTHING
    RETURNING ${INFO}, content`)
  return row ? fileRevision(row) : null
}

function revisionInfo(row: InfoRow): AgentFileRevisionInfo {
  return {
    agentId: row.agent_id,
    name: row.name,
    revision: row.revision,
    hash: row.hash,
    bytes: row.bytes,
    author: row.author,
    createdAt: row.created_at,
  }
}

function fileRevision(row: RevisionRow): AgentFileRevision {
  return { ...revisionInfo(row), content: row.content }
}
