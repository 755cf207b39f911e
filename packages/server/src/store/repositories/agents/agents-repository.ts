import type { AgentRecord, AgentRecordStatus, RuntimeId, UpstreamAgent } from '@clawboo/core/registry'
import { readRecords } from '../../read-records.ts'
import { type Db, join, list, raw, type Sql, sql } from '../../sql.ts'
import { AGENT_COLUMNS, type AgentFields, agentColumns, agentRecord } from './agent-rows.ts'
import { type ReconcileOptions, reconcileAgents } from './reconcile-agents.ts'

/** An agent to create. An absent field gets its default: idle, a participant of kind agent, its id as avatar seed. */
export interface NewAgent extends Partial<AgentFields> {
  readonly id: string
  readonly sourceId: RuntimeId
  readonly sourceAgentId: string
  readonly name: string | null
  readonly runtime: RuntimeId
  readonly createdAt: number
}

/** Fields to overwrite. An absent field keeps its value. */
export interface AgentPatch extends Partial<AgentFields> {
  readonly updatedAt: number
}

export interface AgentPage {
  readonly includeArchived?: boolean | undefined
  /** null = start at the first agent. */
  readonly after: Pick<AgentRecord, 'createdAt' | 'id'> | null
  readonly limit: number
}

interface SourceCounts {
  readonly sourceId: RuntimeId
  readonly live: number
  readonly archived: number
}

export type TeamMember = Pick<AgentRecord, 'id' | 'displayName' | 'participantKind'>

export function createAgentsRepository(db: Db) {
  const agents = readRecords(db, agentRecord)
  const select = (condition: Sql, limit = sql``) =>
    agents.all(sql`SELECT ${AGENT_COLUMNS} FROM agents WHERE ${condition} ORDER BY created_at, id ${limit}`)
  const selectOne = (condition: Sql) => agents.first(sql`SELECT ${AGENT_COLUMNS} FROM agents WHERE ${condition}`)

  return {
    listAll: (options?: { includeArchived?: boolean }) => select(options?.includeArchived ? sql`1 = 1` : LIVE),
    /** The agents after `after`, in the same order as `listAll`. */
    page: ({ includeArchived, after, limit }: AgentPage) => {
      const conditions = includeArchived ? [] : [LIVE]
      if (after) conditions.push(sql`(created_at, id) > (${after.createdAt}, ${after.id})`)
      return select(conditions.length > 0 ? join(conditions, ' AND ') : sql`1 = 1`, sql`LIMIT ${limit}`)
    },
    list: (sourceId: RuntimeId, options: { includeArchived?: boolean; teamId?: string } = {}) => {
      const conditions = [sql`source_id = ${sourceId}`]
      if (!options.includeArchived) conditions.push(LIVE)
      if (options.teamId !== undefined) conditions.push(sql`team_id = ${options.teamId}`)
      return select(join(conditions, ' AND '))
    },
    get: (id: string) => selectOne(sql`id = ${id}`),
    /** null for an unknown id and for another source's agent. */
    getInSource: (sourceId: RuntimeId, id: string) => selectOne(sql`id = ${id} AND source_id = ${sourceId}`),
    /** Finds live agents by the ids that their source gave them. */
    liveInSource: async (sourceId: RuntimeId, ids: readonly string[]) =>
      ids.length === 0 ? [] : select(sql`source_id = ${sourceId} AND source_agent_id IN (${list(ids)}) AND ${LIVE}`),
    insert: async (agent: NewAgent) => (await agents.first(insertStatement(agent)))!,
    /** null for an unknown id and for another source's agent. */
    update: (sourceId: RuntimeId, id: string, { updatedAt, ...fields }: AgentPatch) => {
      const assignments = agentColumns(fields).map(([column, value]) => sql`${raw(column)} = ${value}`)
      return agents.first(sql`UPDATE agents SET ${join([...assignments, sql`updated_at = ${updatedAt}`])}
        WHERE id = ${id} AND source_id = ${sourceId} RETURNING ${AGENT_COLUMNS}`)
    },
    /** Also removes the agent's runs and file revisions. */
    remove: async (sourceId: RuntimeId, id: string) => (await db.run(removeStatement(sourceId, id))) === 1,
    /** False when there is no such live agent: an archived agent keeps its status. */
    setStatus: async (id: string, status: AgentRecordStatus, at: number) => {
      const set = sql`SET status = ${status}, status_at = ${at}, updated_at = ${at}`
      return (await db.run(sql`UPDATE agents ${set} WHERE id = ${id} AND ${LIVE}`)) === 1
    },
    /** Changes the agents that are shown as running and have no active run. Resolves to their ids. */
    markIdle: (ids: readonly string[], at: number) => markIdle(db, ids, at),
    /** For a server that starts and runs none of these agents. Keeps the time when each was last seen running. */
    markRunningAsUnknown: (): Promise<{ id: string; statusAt: number }[]> =>
      db.all(sql`UPDATE agents SET status = 'unknown' WHERE ${SHOWN_RUNNING} RETURNING id, status_at`),
    /** The live members of a team; null = the agents without a team. */
    namesInTeam: (teamId: string | null): Promise<TeamMember[]> => {
      const inTeam = teamId === null ? sql`team_id IS NULL` : sql`team_id = ${teamId}`
      return db.all(sql`SELECT id, coalesce(name_override, name, source_agent_id) AS display_name, participant_kind
        FROM agents WHERE ${inTeam} AND ${LIVE} ORDER BY created_at, id`)
    },
    countsBySource: (): Promise<SourceCounts[]> =>
      db.all(sql`SELECT source_id, count(*) FILTER (WHERE archived_at IS NULL) AS live,
          count(*) FILTER (WHERE archived_at IS NOT NULL) AS archived
        FROM agents GROUP BY source_id ORDER BY source_id`),
    /** Call it in a transaction with the lock `source:<id>`, because it reads, compares and writes. */
    reconcile: (sourceId: RuntimeId, upstream: readonly UpstreamAgent[], options: ReconcileOptions) =>
      reconcileAgents(db, sourceId, upstream, options),
  }
}

async function markIdle(db: Db, ids: readonly string[], at: number): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.all<{ id: string }>(
    sql`UPDATE agents SET status = 'idle', status_at = ${at}, updated_at = ${at}
      WHERE id IN (${list(ids)}) AND ${SHOWN_RUNNING} RETURNING id`,
  )
  return rows.map(({ id }) => id)
}

const LIVE = sql`archived_at IS NULL`
/** The agent's status is `running`, but it has no active run on any server. */
const SHOWN_RUNNING = sql`status = 'running' AND NOT EXISTS
  (SELECT 1 FROM runs WHERE runs.agent_id = agents.id AND runs.state = 'running')`

function removeStatement(sourceId: RuntimeId, id: string): Sql {
  return sql`DELETE FROM agents WHERE id = ${id} AND source_id = ${sourceId}`
}

function insertStatement(agent: NewAgent): Sql {
  const fields: Partial<AgentFields> = {
    isDefault: false,
    avatarSeed: agent.id,
    participantKind: 'agent',
    status: 'idle',
    statusAt: agent.createdAt,
    ...agent,
  }
  const columns = [
    ['id', agent.id],
    ['source_id', agent.sourceId],
    ['source_agent_id', agent.sourceAgentId],
    ['created_at', agent.createdAt],
    ['updated_at', agent.createdAt],
    ...agentColumns(fields),
  ] as const
  return sql`INSERT INTO agents (${join(columns.map(([column]) => raw(column)))})
    VALUES (${list(columns.map(([, value]) => value))}) RETURNING ${AGENT_COLUMNS}`
}
