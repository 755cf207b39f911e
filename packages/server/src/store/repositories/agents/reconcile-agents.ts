import {
  AGENT_COLUMN_OWNERS,
  type AgentColumn,
  type AgentRecord,
  agentColumnsOwnedBy,
  type RefusedAgent,
  type RuntimeId,
  type SyncResult,
  type UpstreamAgent,
} from '@clawboo/core/registry'
import { type FieldName, fieldName } from '../../field-name.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, join, list, ROWS_PER_STATEMENT, raw, rows, type SqlValue, sql } from '../../sql.ts'
import { AGENT_COLUMNS, agentRecord } from './agent-rows.ts'

export interface ReconcileOptions {
  /** The runtime that a newly found agent gets. */
  readonly runtime: RuntimeId
  readonly newId: (sourceAgentId: string) => string
  /** The reason why a new agent cannot have this id, or null. Agents that have a row keep their id. */
  readonly findIdProblem: (id: string) => string | null
  readonly now: number
}

interface Reconciliation {
  readonly result: SyncResult
  /** The added, changed and revived agents as they are now. */
  readonly upserted: AgentRecord[]
  readonly archivedIds: string[]
  /** The new agents that were left out because of their id. */
  readonly refused: RefusedAgent[]
}

/**
 * Makes a source's rows match the upstream's list, and writes only the rows that differ. New agents are added, known
 * agents get the upstream's columns and nothing else, missing agents are archived, returned agents are revived. When the
 * list contains an agent twice, the last entry counts.
 */
export async function reconcileAgents(
  db: Db,
  sourceId: RuntimeId,
  upstream: readonly UpstreamAgent[],
  options: ReconcileOptions,
): Promise<Reconciliation> {
  const knownAgents = await readRecords(
    db,
    knownAgent,
  ).all(sql`SELECT id, archived_at, ${join(UPSTREAM_COLUMNS.map(raw))}
    FROM agents WHERE source_id = ${sourceId} ORDER BY created_at, id`)
  const known = new Map(knownAgents.map((agent) => [agent.sourceAgentId, agent]))
  const listed = new Map(upstream.map((agent) => [agent.sourceAgentId, agent]))

  const counts = { added: 0, updated: 0, revived: 0, unchanged: 0 }
  const different: AgentValues[] = []
  const refused: RefusedAgent[] = []
  for (const agent of listed.values()) {
    const before = known.get(agent.sourceAgentId)
    const id = before?.id ?? options.newId(agent.sourceAgentId)
    const reason = before ? null : options.findIdProblem(id)
    if (reason !== null) {
      refused.push({ sourceAgentId: agent.sourceAgentId, reason })
      continue
    }
    const change = before ? changeOf(before, agent) : 'added'
    counts[change]++
    if (change !== 'unchanged') different.push(agentValues(sourceId, id, agent, options))
  }
  const vanished = knownAgents
    .filter((agent) => agent.archivedAt === null && !listed.has(agent.sourceAgentId))
    .map((agent) => agent.id)

  const upserted: AgentRecord[] = []
  for (const chunk of chunks(different)) upserted.push(...(await upsert(db, chunk, options.now)))
  for (const chunk of chunks(vanished)) await archive(db, sourceId, chunk, options.now)
  const result = { ...counts, archived: vanished.length, at: options.now }
  return { result, upserted, archivedIds: vanished, refused }
}

const COLUMNS = Object.keys(AGENT_COLUMN_OWNERS) as AgentColumn[]
const FIELDS = COLUMNS.map((column) => fieldName(column))
const UPSTREAM_COLUMNS = agentColumnsOwnedBy('upstream')
const UPSTREAM_FIELDS = UPSTREAM_COLUMNS.map((column) => fieldName(column) as keyof UpstreamAgent)

type KnownAgent = UpstreamAgent & Pick<AgentRecord, 'id' | 'archivedAt'>

const knownAgent = rowDecoder<KnownAgent>({ booleans: ['isDefault'] })

function changeOf(before: KnownAgent, agent: UpstreamAgent): 'revived' | 'updated' | 'unchanged' {
  if (before.archivedAt !== null) return 'revived'
  return UPSTREAM_FIELDS.some((field) => before[field] !== agent[field]) ? 'updated' : 'unchanged'
}

type AgentValues = Readonly<Record<FieldName<AgentColumn>, SqlValue>>

/** A whole row. When the agent has a row already, the conflict clause takes only the upstream's columns. */
function agentValues(
  sourceId: RuntimeId,
  id: string,
  agent: UpstreamAgent,
  { runtime, now }: ReconcileOptions,
): AgentValues {
  return {
    id,
    sourceId,
    sourceAgentId: agent.sourceAgentId,
    name: agent.name,
    emoji: agent.emoji,
    avatarUrl: agent.avatarUrl,
    sessionKey: agent.sessionKey,
    isDefault: agent.isDefault,
    nameOverride: null,
    avatarSeed: id,
    teamId: null,
    personalityConfig: null,
    execConfig: null,
    capabilities: null,
    participantKind: 'agent',
    runtime,
    tenantId: null,
    createdAt: now,
    status: 'idle',
    statusAt: now,
    archivedAt: null,
    updatedAt: now,
  }
}

function upsert(db: Db, agents: readonly AgentValues[], now: number): Promise<AgentRecord[]> {
  const tuples = agents.map((agent) => FIELDS.map((field) => agent[field]))
  const assignments = UPSTREAM_COLUMNS.map((column) => raw(`${column} = excluded.${column}`))
  return readRecords(db, agentRecord).all(sql`INSERT INTO agents (${join(COLUMNS.map(raw))}) VALUES ${rows(tuples)}
    ON CONFLICT (source_id, source_agent_id) DO UPDATE SET ${join(assignments)},
      status = CASE WHEN agents.archived_at IS NULL THEN agents.status ELSE 'idle' END,
      status_at = CASE WHEN agents.archived_at IS NULL THEN agents.status_at ELSE ${now} END,
      archived_at = NULL,
      updated_at = ${now}
    RETURNING ${AGENT_COLUMNS}`)
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
