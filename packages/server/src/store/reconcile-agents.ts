import type { RuntimeId, SyncResult, UpstreamAgent } from '@clawboo/core/registry'
import { AGENT_COLUMN_OWNERS, type AgentColumn, type AgentRecord, agentColumnsOwnedBy } from '@clawboo/core/registry'
import { type AgentRow, agentRecord } from './agent-rows.ts'
import { type Db, join, list, ROWS_PER_STATEMENT, raw, rows, type SqlValue, sql } from './sql.ts'

export interface ReconcileOptions {
  /** The runtime a newly found agent gets. */
  readonly runtime: RuntimeId
  readonly newId: (sourceAgentId: string) => string
  readonly now: number
}

export interface Reconciliation {
  readonly result: SyncResult
  /** As they are now: added, changed and revived. */
  readonly upserted: AgentRecord[]
  readonly archivedIds: string[]
}

/**
 * Makes a source's rows match what its upstream lists, writing only the rows that differ. Found agents are added, known
 * ones get the upstream's columns and nothing else, vanished ones are archived, returned ones revived. When the list
 * names an agent twice, the last entry counts.
 */
export async function reconcileAgents(
  db: Db,
  sourceId: RuntimeId,
  upstream: readonly UpstreamAgent[],
  options: ReconcileOptions,
): Promise<Reconciliation> {
  const rowsBefore = await db.all<KnownRow>(sql`SELECT id, archived_at, ${join(UPSTREAM_COLUMNS.map(raw))}
    FROM agents WHERE source_id = ${sourceId} ORDER BY created_at, id`)
  const known = new Map(rowsBefore.map((row) => [row.source_agent_id, row]))
  const listed = new Map(upstream.map((agent) => [agent.sourceAgentId, agent]))

  const counts = { added: 0, updated: 0, revived: 0, unchanged: 0 }
  const different: AgentRow[] = []
  for (const agent of listed.values()) {
    const row = known.get(agent.sourceAgentId)
    const change = row ? changeOf(row, agent) : 'added'
    counts[change]++
    if (change !== 'unchanged') different.push(insertableRow(sourceId, agent, options, row?.id))
  }
  const vanished = rowsBefore
    .filter((row) => row.archived_at === null && !listed.has(row.source_agent_id))
    .map((row) => row.id)

  const upserted: AgentRecord[] = []
  for (const chunk of chunks(different)) upserted.push(...(await upsert(db, chunk, options.now)))
  for (const chunk of chunks(vanished)) await archive(db, sourceId, chunk, options.now)
  return { result: { ...counts, archived: vanished.length, at: options.now }, upserted, archivedIds: vanished }
}

const COLUMNS = Object.keys(AGENT_COLUMN_OWNERS) as AgentColumn[]
const UPSTREAM_COLUMNS = agentColumnsOwnedBy('upstream')

type UpstreamColumns = Pick<
  AgentRow,
  'source_agent_id' | 'name' | 'emoji' | 'avatar_url' | 'session_key' | 'is_default'
>

function upstreamColumns(agent: UpstreamAgent): UpstreamColumns {
  return {
    source_agent_id: agent.sourceAgentId,
    name: agent.name,
    emoji: agent.emoji,
    avatar_url: agent.avatarUrl,
    session_key: agent.sessionKey,
    is_default: agent.isDefault ? 1 : 0,
  }
}

type KnownRow = UpstreamColumns & Pick<AgentRow, 'id' | 'archived_at'>

function changeOf(row: KnownRow, agent: UpstreamAgent): 'revived' | 'updated' | 'unchanged' {
  if (row.archived_at !== null) return 'revived'
  const columns = upstreamColumns(agent)
  const differs = (Object.keys(columns) as (keyof UpstreamColumns)[]).some((column) => columns[column] !== row[column])
  return differs ? 'updated' : 'unchanged'
}

/** A whole row. Where one is there already, the conflict clause takes the upstream's columns of it and no other. */
function insertableRow(
  sourceId: RuntimeId,
  agent: UpstreamAgent,
  { newId, runtime, now }: ReconcileOptions,
  id: string = newId(agent.sourceAgentId),
): AgentRow {
  return {
    id,
    source_id: sourceId,
    ...upstreamColumns(agent),
    name_override: null,
    avatar_seed: id,
    team_id: null,
    personality_config: null,
    exec_config: null,
    capabilities: null,
    participant_kind: 'agent',
    runtime,
    tenant_id: null,
    created_at: now,
    status: 'idle',
    status_at: now,
    archived_at: null,
    updated_at: now,
  }
}

async function upsert(db: Db, agents: readonly AgentRow[], now: number): Promise<AgentRecord[]> {
  const tuples = agents.map((row): SqlValue[] => COLUMNS.map((column) => row[column]))
  const assignments = UPSTREAM_COLUMNS.map((column) => raw(`${column} = excluded.${column}`))
  const written =
    await db.all<AgentRow>(sql`INSERT INTO agents (${join(COLUMNS.map((column) => raw(column)))}) VALUES ${rows(tuples)}
    ON CONFLICT (source_id, source_agent_id) DO UPDATE SET ${join(assignments)},
      status = CASE WHEN agents.archived_at IS NULL THEN agents.status ELSE 'idle' END,
      status_at = CASE WHEN agents.archived_at IS NULL THEN agents.status_at ELSE ${now} END,
      archived_at = NULL,
      updated_at = ${now}
    RETURNING *`)
  return written.map(agentRecord)
}

async function archive(db: Db, sourceId: RuntimeId, ids: readonly string[], now: number): Promise<void> {
  await db.run(sql`UPDATE agents SET status = 'archived', status_at = ${now}, archived_at = ${now}, updated_at = ${now}
    WHERE source_id = ${sourceId} AND id IN (${list(ids)}) AND archived_at IS NULL`)
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / ROWS_PER_STATEMENT)
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  )
}
