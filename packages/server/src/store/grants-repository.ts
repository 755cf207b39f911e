import { sortableId } from './sortable-id.ts'
import { type Db, type Sql, sql } from './sql.ts'

/** What a grant speaks for. Nothing of it ever changes. */
export interface GrantBinding {
  readonly runId: string
  readonly agentId: string
  readonly teamId: string | null
  readonly roomId: string | null
  readonly taskId: string | null
  /** The names of the tools it may call. */
  readonly tools: readonly string[]
}

export interface GrantRecord extends GrantBinding {
  readonly id: string
  /** The life of a server that gave it out: a new one at every start and every rotation of the token. */
  readonly issuer: string
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly revokedBecause: string | null
}

/** A grant with what else decides whether it is still good. */
export interface FoundGrant extends GrantRecord {
  readonly runIsUnderWay: boolean
  readonly agentIsArchived: boolean
}

export type GrantsOf =
  | { readonly runId: string }
  | { readonly agentId: string }
  | { readonly taskId: string }
  | { readonly issuer: string }

/** Only the hash of a grant's secret is kept. */
export interface GrantsRepository {
  insert(grant: GrantBinding & { hash: string; issuer: string; createdAt: number }): Promise<GrantRecord>
  findByHash(hash: string): Promise<FoundGrant | null>
  /** Resolves to how many were still good. */
  revoke(which: GrantsOf, end: { readonly at: number; readonly because: string }): Promise<number>
}

export function createGrantsRepository(db: Db): GrantsRepository {
  return {
    insert: async (grant) => {
      const row =
        await db.get<GrantRow>(sql`INSERT INTO grants (id, hash, issuer, run_id, agent_id, team_id, room_id, task_id,
          tools, created_at)
        VALUES (${sortableId()}, ${grant.hash}, ${grant.issuer}, ${grant.runId}, ${grant.agentId}, ${grant.teamId},
          ${grant.roomId}, ${grant.taskId}, ${JSON.stringify(grant.tools)}, ${grant.createdAt})
        RETURNING *`)
      return grantRecord(row!)
    },
    findByHash: async (hash) => {
      const row = await db.get<FoundRow>(sql`SELECT grants.*, runs.state AS run_state, agents.archived_at AS archived_at
        FROM grants JOIN runs ON runs.id = grants.run_id JOIN agents ON agents.id = grants.agent_id
        WHERE grants.hash = ${hash}`)
      if (!row) return null
      return {
        ...grantRecord(row),
        runIsUnderWay: row.run_state === 'running',
        agentIsArchived: row.archived_at !== null,
      }
    },
    revoke: (which, { at, because }) =>
      db.run(sql`UPDATE grants SET revoked_at = ${at}, revoked_because = ${because}
        WHERE ${conditionOf(which)} AND revoked_at IS NULL`),
  }
}

function conditionOf(which: GrantsOf): Sql {
  if ('runId' in which) return sql`run_id = ${which.runId}`
  if ('agentId' in which) return sql`agent_id = ${which.agentId}`
  if ('taskId' in which) return sql`task_id = ${which.taskId}`
  return sql`issuer = ${which.issuer}`
}

interface GrantRow {
  readonly id: string
  readonly issuer: string
  readonly run_id: string
  readonly agent_id: string
  readonly team_id: string | null
  readonly room_id: string | null
  readonly task_id: string | null
  readonly tools: string
  readonly created_at: number
  readonly revoked_at: number | null
  readonly revoked_because: string | null
}

interface FoundRow extends GrantRow {
  readonly run_state: string
  readonly archived_at: number | null
}

function grantRecord(row: GrantRow): GrantRecord {
  return {
    id: row.id,
    issuer: row.issuer,
    runId: row.run_id,
    agentId: row.agent_id,
    teamId: row.team_id,
    roomId: row.room_id,
    taskId: row.task_id,
    tools: JSON.parse(row.tools) as string[],
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    revokedBecause: row.revoked_because,
  }
}
