import { sortableId } from '../../sortable-id.ts'
import { type Db, join, type Sql, sql } from '../../sql.ts'

/** Who can read a memory: `agent`: one agent. `team`: the agents of one team. `everyone`: every agent. */
export type MemoryScope = 'agent' | 'team' | 'everyone'

interface NewMemory {
  readonly scope: MemoryScope
  /** Set only for the scope `agent`. */
  readonly agentId: string | null
  /** Set only for the scope `team`. */
  readonly teamId: string | null
  /** `operator`, or `agent:` followed by the agent's id. */
  readonly author: string
  readonly runId: string | null
  readonly sourceKind: string
  readonly trust: string
  readonly text: string
  readonly createdAt: number
}

export interface StoredMemory extends NewMemory {
  readonly id: string
  /** A newer memory has a higher number. */
  readonly position: number
}

/** The agent that reads; `null` reads all memories. */
export type MemoryReader = { readonly agentId: string; readonly teamId: string | null } | null

export function createMemoriesRepository(db: Db) {
  const select = (conditions: readonly Sql[], limit: number) =>
    db.all<StoredMemory>(sql`SELECT id, position, scope, agent_id, team_id, author, run_id, source_kind, trust, body AS text,
        created_at
      FROM memories WHERE ${join(conditions, ' AND ')} ORDER BY position DESC LIMIT ${limit}`)
  return {
    insert: async (memory: NewMemory, position: number) => {
      const id = sortableId()
      await db.run(sql`INSERT INTO memories (id, position, scope, agent_id, team_id, author, run_id, source_kind, trust, body,
          terms, created_at)
        VALUES (${id}, ${position}, ${memory.scope}, ${memory.agentId}, ${memory.teamId}, ${memory.author}, ${memory.runId},
          ${memory.sourceKind}, ${memory.trust}, ${memory.text}, ${storedTerms(memory.text)}, ${memory.createdAt})`)
      return { ...memory, id, position }
    },
    /** null when the memory does not exist or the reader may not see it. */
    get: async (id: string, reader: MemoryReader) =>
      (await select([sql`id = ${id}`, readableBy(reader)], 1))[0] ?? null,
    /** Newest first. Finds memories that contain, for each word of the query, a word that begins with it. */
    search: async (reader: MemoryReader, query: string, limit: number) => {
      const terms = askedTerms(query)
      return terms.length === 0 ? [] : select([readableBy(reader), matching(db, terms)], limit)
    },
    /** Newest first. Lists only memories before `before`. */
    browse: (
      reader: MemoryReader,
      { before, scope, limit }: { readonly before?: number; readonly scope?: MemoryScope; readonly limit: number },
    ) => {
      const conditions = [readableBy(reader)]
      if (before !== undefined) conditions.push(sql`position < ${before}`)
      if (scope !== undefined) conditions.push(sql`scope = ${scope}`)
      return select(conditions, limit)
    },
    /** Removes a memory; with an `author` of null, a memory of any author. False when no memory matches. */
    remove: async (id: string, reader: MemoryReader, author: string | null) => {
      const by = author === null ? sql`1 = 1` : sql`author = ${author}`
      return (await db.run(sql`DELETE FROM memories WHERE id = ${id} AND ${readableBy(reader)} AND ${by}`)) === 1
    },
    count: async (of: { readonly agentId: string } | { readonly teamId: string } | 'everyone') => {
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

/** A term has only letters and digits, so it cannot break out of the quotes. */
function matching(db: Db, terms: readonly string[]): Sql {
  if (db.engine === 'sqlite') {
    const expression = terms.map((term) => `"${term}"*`).join(' ')
    return sql`position IN (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ${expression})`
  }
  const expression = terms.map((term) => `'${term}':*`).join(' & ')
  return sql`array_to_tsvector(string_to_array(terms, ' ')) @@ CAST(${expression} AS tsquery)`
}

const LONGEST_TERM = 64
const MOST_TERMS_ASKED = 16
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu

/** The words of a text to store for the search, each once. */
function storedTerms(text: string): string {
  return [...new Set(words(text).flatMap((word) => pieces(word, true)))].join(' ')
}

/** The words of a query. A match has, for each of them, a word that begins with it. Empty when the query has no words. */
function askedTerms(query: string): string[] {
  return [...new Set(words(query).flatMap((word) => pieces(word, false)))].slice(0, MOST_TERMS_ASKED)
}

/** Removes accents and case, so that both engines compare alike. */
function words(text: string): string[] {
  const folded = text.toWellFormed().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

function pieces(word: string, toStore: boolean): string[] {
  const found: string[] = []
  let from = 0
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > from) found.push(cut(word.slice(from, index)))
    found.push(...pairs([...run], toStore))
    from = index + run.length
  }
  if (from < word.length) found.push(cut(word.slice(from)))
  return found
}

/** Pairs of characters. A query for one character matches the start of a pair, or the last character, which is also stored alone. */
function pairs(characters: readonly string[], toStore: boolean): string[] {
  const found = characters.slice(0, -1).map((character, at) => character + characters[at + 1]!)
  return toStore || found.length === 0 ? [...found, characters.at(-1)!] : found
}

function cut(word: string): string {
  return [...word].slice(0, LONGEST_TERM).join('')
}
