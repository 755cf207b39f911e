import { askedTerms, storedTerms } from './search-terms.ts'
import { sortableId } from './sortable-id.ts'
import { type Db, join, type Sql, sql } from './sql.ts'

/** `agent`: one agent's own. `team`: a team's. `everyone`: every agent's. */
export type MemoryScope = 'agent' | 'team' | 'everyone'

export interface NewMemory {
  readonly scope: MemoryScope
  /** Set exactly when the scope is `agent`. */
  readonly agentId: string | null
  /** Set exactly when the scope is `team`. */
  readonly teamId: string | null
  /** `operator`, or `agent:` and its id. */
  readonly author: string
  readonly runId: string | null
  readonly sourceKind: string
  readonly trust: string
  readonly text: string
  readonly createdAt: number
}

export interface StoredMemory extends NewMemory {
  readonly id: string
  /** Counts up; newer ones have higher numbers. */
  readonly position: number
}

/** Whose memories are meant; `null` means all there are. */
export type MemoryReader = { readonly agentId: string; readonly teamId: string | null } | null

export interface MemoriesRepository {
  insert(memory: NewMemory, position: number): Promise<StoredMemory>
  /** null when there is none that the reader may see. */
  get(id: string, reader: MemoryReader): Promise<StoredMemory | null>
  /** Newest first. What is found has, for each word of the query, a word that begins with it. */
  search(reader: MemoryReader, query: string, limit: number): Promise<StoredMemory[]>
  /** Newest first, from behind `before` on. */
  browse(
    reader: MemoryReader,
    page: { readonly before?: number; readonly scope?: MemoryScope; readonly limit: number },
  ): Promise<StoredMemory[]>
  /** `author` null removes anybody's. False when there is none that fits. */
  remove(id: string, reader: MemoryReader, author: string | null): Promise<boolean>
  count(of: { readonly agentId: string } | { readonly teamId: string } | 'everyone'): Promise<number>
}

export function createMemoriesRepository(db: Db): MemoriesRepository {
  const select = async (conditions: readonly Sql[], limit: number) => {
    const rows = await db.all<MemoryRow>(
      sql`SELECT * FROM memories WHERE ${join(conditions, ' AND ')} ORDER BY position DESC LIMIT ${limit}`,
    )
    return rows.map(storedMemory)
  }
  return {
    insert: async (memory, position) => {
      const id = sortableId()
      await db.run(sql`INSERT INTO memories (id, position, scope, agent_id, team_id, author, run_id, source_kind, trust, body,
          terms, created_at)
        VALUES (${id}, ${position}, ${memory.scope}, ${memory.agentId}, ${memory.teamId}, ${memory.author}, ${memory.runId},
          ${memory.sourceKind}, ${memory.trust}, ${memory.text}, ${storedTerms(memory.text)}, ${memory.createdAt})`)
      return { ...memory, id, position }
    },
    get: async (id, reader) => (await select([sql`id = ${id}`, readableBy(reader)], 1))[0] ?? null,
    search: async (reader, query, limit) => {
      const terms = askedTerms(query)
      return terms.length === 0 ? [] : select([readableBy(reader), matching(db, terms)], limit)
    },
    browse: (reader, { before, scope, limit }) => {
      const conditions = [readableBy(reader)]
      if (before !== undefined) conditions.push(sql`position < ${before}`)
      if (scope !== undefined) conditions.push(sql`scope = ${scope}`)
      return select(conditions, limit)
    },
    remove: async (id, reader, author) => {
      const by = author === null ? sql`1 = 1` : sql`author = ${author}`
      return (await db.run(sql`DELETE FROM memories WHERE id = ${id} AND ${readableBy(reader)} AND ${by}`)) === 1
    },
    count: async (of) => {
      const which =
        of === 'everyone'
          ? sql`scope = 'everyone'`
          : 'agentId' in of
            ? sql`agent_id = ${of.agentId}`
            : sql`team_id = ${of.teamId}`
      return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM memories WHERE ${which}`))!.n
    },
  }
}

function readableBy(reader: MemoryReader): Sql {
  if (reader === null) return sql`1 = 1`
  const team = reader.teamId === null ? sql`1 = 0` : sql`team_id = ${reader.teamId}`
  return sql`(agent_id = ${reader.agentId} OR ${team} OR scope = 'everyone')`
}

/** Terms are letters and digits, so no quoting can be broken out of. */
function matching(db: Db, terms: readonly string[]): Sql {
  if (db.engine === 'sqlite') {
    const expression = terms.map((term) => `"${term}"*`).join(' ')
    return sql`position IN (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ${expression})`
  }
  const expression = terms.map((term) => `'${term}':*`).join(' & ')
  return sql`array_to_tsvector(string_to_array(terms, ' ')) @@ CAST(${expression} AS tsquery)`
}

interface MemoryRow {
  readonly id: string
  readonly position: number
  readonly scope: MemoryScope
  readonly agent_id: string | null
  readonly team_id: string | null
  readonly author: string
  readonly run_id: string | null
  readonly source_kind: string
  readonly trust: string
  readonly body: string
  readonly created_at: number
}

function storedMemory(row: MemoryRow): StoredMemory {
  return {
    id: row.id,
    position: row.position,
    scope: row.scope,
    agentId: row.agent_id,
    teamId: row.team_id,
    author: row.author,
    runId: row.run_id,
    sourceKind: row.source_kind,
    trust: row.trust,
    text: row.body,
    createdAt: row.created_at,
  }
}
