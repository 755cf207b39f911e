import type { AgentRecord, AgentRecordStatus, RuntimeId, UpstreamAgent } from '@clawboo/core/registry'
import { type AgentFields, type AgentRow, agentColumns, agentRecord } from './agent-rows.ts'
import { type ReconcileOptions, type Reconciliation, reconcileAgents } from './reconcile-agents.ts'
import { type Db, join, list, raw, type Sql, sql } from './sql.ts'

/** An agent made here. What is left out gets its default: idle, a participant of kind agent, its id as avatar seed. */
export interface NewAgent extends Partial<AgentFields> {
  readonly id: string
  readonly sourceId: RuntimeId
  readonly sourceAgentId: string
  readonly name: string | null
  readonly runtime: RuntimeId
  readonly createdAt: number
}

/** Fields to overwrite; an absent one stays as it is. */
export interface AgentPatch extends Partial<AgentFields> {
  readonly updatedAt: number
}

export interface AgentPageWish {
  readonly includeArchived?: boolean | undefined
  /** null = from the first on. */
  readonly after: Pick<AgentRecord, 'createdAt' | 'id'> | null
  readonly limit: number
}

export interface SourceCounts {
  readonly sourceId: RuntimeId
  readonly live: number
  readonly archived: number
}

export type TeamMember = Pick<AgentRecord, 'id' | 'displayName' | 'participantKind'>

export interface AgentsRepository {
  listAll(options?: { includeArchived?: boolean }): Promise<AgentRecord[]>
  /** Of all in their order, those behind `after`. */
  page(wish: AgentPageWish): Promise<AgentRecord[]>
  list(sourceId: RuntimeId, options?: { includeArchived?: boolean; teamId?: string }): Promise<AgentRecord[]>
  get(id: string): Promise<AgentRecord | null>
  /** null for an unknown id and for another source's agent. */
  getInSource(sourceId: RuntimeId, id: string): Promise<AgentRecord | null>
  /** Live ones by the ids that their source gave them. */
  liveInSource(sourceId: RuntimeId, sourceAgentIds: readonly string[]): Promise<AgentRecord[]>
  insert(agent: NewAgent): Promise<AgentRecord>
  /** null for an unknown id and for another source's agent. */
  update(sourceId: RuntimeId, id: string, patch: AgentPatch): Promise<AgentRecord | null>
  /** Takes its runs and file revisions with it. */
  remove(sourceId: RuntimeId, id: string): Promise<boolean>
  /** False when there is no such live agent: an archived one keeps its status. */
  setStatus(id: string, status: AgentRecordStatus, at: number): Promise<boolean>
  /** Those of these agents that are shown as running and have no run under way. Resolves to the ones it changed. */
  markIdle(ids: readonly string[], at: number): Promise<string[]>
  /** For a server that starts: nobody runs them any more. Keeps the moment they were last seen running. */
  markRunningAsUnknown(): Promise<{ id: string; statusAt: number }[]>
  /** Live members; null asks for those in no team. */
  namesInTeam(teamId: string | null): Promise<TeamMember[]>
  countsBySource(): Promise<SourceCounts[]>
  /** Call it in a transaction with the lock `source:<id>`: it reads, compares and writes. */
  reconcile(sourceId: RuntimeId, upstream: readonly UpstreamAgent[], options: ReconcileOptions): Promise<Reconciliation>
}

export function createAgentsRepository(db: Db): AgentsRepository {
  const select = async (condition: Sql, limit = sql``) => {
    const rows = await db.all<AgentRow>(sql`SELECT * FROM agents WHERE ${condition} ORDER BY created_at, id ${limit}`)
    return rows.map(agentRecord)
  }
  const selectOne = async (condition: Sql) =>
    firstRecord(await db.get<AgentRow>(sql`SELECT * FROM agents WHERE ${condition}`))

  return {
    listAll: (options) => select(options?.includeArchived ? sql`1 = 1` : LIVE),
    page: ({ includeArchived, after, limit }) => {
      const conditions = includeArchived ? [] : [LIVE]
      if (after) conditions.push(sql`(created_at, id) > (${after.createdAt}, ${after.id})`)
      return select(conditions.length > 0 ? join(conditions, ' AND ') : sql`1 = 1`, sql`LIMIT ${limit}`)
    },
    list: (sourceId, options = {}) => {
      const conditions = [sql`source_id = ${sourceId}`]
      if (!options.includeArchived) conditions.push(LIVE)
      if (options.teamId !== undefined) conditions.push(sql`team_id = ${options.teamId}`)
      return select(join(conditions, ' AND '))
    },
    get: (id) => selectOne(sql`id = ${id}`),
    getInSource: (sourceId, id) => selectOne(sql`id = ${id} AND source_id = ${sourceId}`),
    liveInSource: async (sourceId, ids) =>
      ids.length === 0 ? [] : select(sql`source_id = ${sourceId} AND source_agent_id IN (${list(ids)}) AND ${LIVE}`),
    insert: (agent) => insertAgent(db, agent),
    update: async (sourceId, id, { updatedAt, ...fields }) => {
      const assignments = agentColumns(fields).map(([column, value]) => sql`${raw(column)} = ${value}`)
      return firstRecord(
        await db.get<AgentRow>(sql`UPDATE agents SET ${join([...assignments, sql`updated_at = ${updatedAt}`])}
          WHERE id = ${id} AND source_id = ${sourceId} RETURNING *`),
      )
    },
    remove: async (sourceId, id) =>
      (await db.run(sql`DELETE FROM agents WHERE id = ${id} AND source_id = ${sourceId}`)) === 1,
    setStatus: async (id, status, at) => {
      const set = sql`SET status = ${status}, status_at = ${at}, updated_at = ${at}`
      return (await db.run(sql`UPDATE agents ${set} WHERE id = ${id} AND ${LIVE}`)) === 1
    },
    markIdle: async (ids, at) => {
      if (ids.length === 0) return []
      const rows = await db.all<{
        id: string
      }>(sql`UPDATE agents SET status = 'idle', status_at = ${at}, updated_at = ${at}
        WHERE id IN (${list(ids)}) AND ${SHOWN_RUNNING} RETURNING id`)
      return rows.map(({ id }) => id)
    },
    markRunningAsUnknown: async () => {
      const rows = await db.all<{ id: string; status_at: number }>(
        sql`UPDATE agents SET status = 'unknown' WHERE ${SHOWN_RUNNING} RETURNING id, status_at`,
      )
      return rows.map((row) => ({ id: row.id, statusAt: row.status_at }))
    },
    namesInTeam: async (teamId) => {
      const members = await select(
        sql`${teamId === null ? sql`team_id IS NULL` : sql`team_id = ${teamId}`} AND ${LIVE}`,
      )
      return members.map(({ id, displayName, participantKind }) => ({ id, displayName, participantKind }))
    },
    countsBySource: async () => {
      const rows = await db.all<{ source_id: string; live: number; archived: number }>(sql`SELECT source_id,
        count(*) FILTER (WHERE archived_at IS NULL) AS live, count(*) FILTER (WHERE archived_at IS NOT NULL) AS archived
        FROM agents GROUP BY source_id ORDER BY source_id`)
      return rows.map((row) => ({ sourceId: row.source_id, live: row.live, archived: row.archived }))
    },
    reconcile: (sourceId, upstream, options) => reconcileAgents(db, sourceId, upstream, options),
  }
}

const LIVE = sql`archived_at IS NULL`
/** As running, without a run under way on any server. */
const SHOWN_RUNNING = sql`status = 'running' AND NOT EXISTS
  (SELECT 1 FROM runs WHERE runs.agent_id = agents.id AND runs.state = 'running')`

function firstRecord(row: AgentRow | undefined): AgentRecord | null {
  return row ? agentRecord(row) : null
}

async function insertAgent(db: Db, agent: NewAgent): Promise<AgentRecord> {
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
  const row = await db.get<AgentRow>(sql`INSERT INTO agents (${join(columns.map(([column]) => raw(column)))})
    VALUES (${list(columns.map(([, value]) => value))}) RETURNING *`)
  return agentRecord(row!)
}
