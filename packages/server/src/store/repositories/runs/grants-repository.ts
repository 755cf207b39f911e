import { readRecords, rowDecoder } from '../../read-records.ts'
import { sortableId } from '../../sortable-id.ts'
import { type Db, type Sql, sql } from '../../sql.ts'

/** The run that a grant belongs to and the tools that it covers. The binding never changes. */
export interface GrantBinding {
  readonly runId: string
  readonly agentId: string
  readonly teamId: string | null
  readonly roomId: string | null
  readonly taskId: string | null
  /** The names of the tools that the grant allows. */
  readonly tools: readonly string[]
}

interface GrantRecord extends GrantBinding {
  readonly id: string
  /** Identifies the server process that issued the grant. It changes at every start and every rotation of the token. */
  readonly issuer: string
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly revokedBecause: string | null
}

/** A grant with the facts that decide whether it is still valid. */
export interface FoundGrant extends GrantRecord {
  readonly runIsUnderWay: boolean
  readonly agentIsArchived: boolean
}

export type GrantsOf =
  | { readonly runId: string }
  | { readonly agentId: string }
  | { readonly taskId: string }
  | { readonly issuer: string }

/** Only the hash of a grant's secret is stored. */
export function createGrantsRepository(db: Db) {
  return {
    insert: async (grant: GrantBinding & { hash: string; issuer: string; createdAt: number }) => {
      const inserted = await readRecords(db, grantRecord).first(insertStatement(grant))
      return inserted!
    },
    findByHash: (hash: string) =>
      readRecords(db, foundGrant).first(sql`SELECT ${COLUMNS}, runs.state = 'running' AS run_is_under_way,
          agents.archived_at IS NOT NULL AS agent_is_archived
        FROM grants JOIN runs ON runs.id = grants.run_id JOIN agents ON agents.id = grants.agent_id
        WHERE grants.hash = ${hash}`),
    /** Resolves to the number of grants that were still valid. */
    revoke: (which: GrantsOf, { at, because }: { readonly at: number; readonly because: string }) =>
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

/** Without the hash. */
const COLUMNS = sql`grants.id, grants.issuer, grants.run_id, grants.agent_id, grants.team_id, grants.room_id, grants.task_id,
  grants.tools, grants.created_at, grants.revoked_at, grants.revoked_because`

const grantRecord = rowDecoder<GrantRecord>({ json: ['tools'] })
const foundGrant = rowDecoder<FoundGrant>({ json: ['tools'], booleans: ['runIsUnderWay', 'agentIsArchived'] })

function insertStatement(grant: GrantBinding & { hash: string; issuer: string; createdAt: number }): Sql {
  return sql`INSERT INTO grants (id, hash, issuer, run_id, agent_id, team_id, room_id, task_id, tools, created_at)
    VALUES (${sortableId()}, ${grant.hash}, ${grant.issuer}, ${grant.runId}, ${grant.agentId}, ${grant.teamId},
      ${grant.roomId}, ${grant.taskId}, ${JSON.stringify(grant.tools)}, ${grant.createdAt})
    RETURNING ${COLUMNS}`
}
