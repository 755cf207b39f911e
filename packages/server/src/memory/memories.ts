import { ClawbooError } from '@clawboo/core'
import type { Repositories, Store } from '../store/open-store.ts'
import type { MemoryReader, MemoryScope, StoredMemory } from '../store/repositories/memory/memories-repository.ts'
import { leastTrusted, type SourceTrust } from './source-trust.ts'

/**
 * The reader or writer of memories: one agent in one run, or the operator. Determines what can be seen, saved and
 * forgotten.
 */
export type Rememberer =
  | { readonly kind: 'agent'; readonly agentId: string; readonly teamId: string | null; readonly runId: string }
  | { readonly kind: 'operator' }

export interface Memory {
  readonly id: string
  readonly scope: MemoryScope
  readonly agentId: string | null
  readonly teamId: string | null
  readonly author: string
  readonly runId: string | null
  readonly sourceKind: 'agent' | 'operator'
  /** The trust of the least trusted source. */
  readonly trust: SourceTrust
  readonly text: string
  readonly createdAt: number
}

interface MemoryPage {
  readonly memories: readonly Memory[]
  readonly hasMore: boolean
}

export type Memories = ReturnType<typeof createMemories>

interface NewMemoryText {
  readonly text: string
  /** Absent: the agent's own scope, or everyone's for the operator. */
  readonly scope?: MemoryScope
  readonly sources: readonly SourceTrust[]
}

interface BrowsePage {
  readonly before?: string
  readonly scope?: MemoryScope
  readonly limit: number
}

export const MAX_MEMORY_CHARACTERS = 8_000
/** One answer must not fill a model's context. */
const MAX_ANSWER_CHARACTERS = 40_000
const MOST_MEMORIES: Readonly<Record<MemoryScope, number>> = { agent: 2_000, team: 5_000, everyone: 1_000 }

/**
 * The memories that agents save for later runs. An agent sees its own, its team's and everyone's; the operator sees
 * all.
 */
export function createMemories(
  store: Store,
  { now = Date.now, most = MOST_MEMORIES }: { now?: () => number; most?: typeof MOST_MEMORIES } = {},
) {
  return {
    /** Throws `memory_full`, and `request_invalid` for a scope that the caller may not write. */
    async save(who: Rememberer, { text, scope = who.kind === 'agent' ? 'agent' : 'everyone', sources }: NewMemoryText) {
      if (text.trim() === '' || text.length > MAX_MEMORY_CHARACTERS)
        throw new ClawbooError('request_invalid', `a memory must have 1 to ${MAX_MEMORY_CHARACTERS} characters`)
      const place = placeOf(who, scope)
      const saved = await store.transaction(async (tx) => {
        // Take the counter first: it serialises the writers, so that the count below stays correct.
        const position = await tx.counters.next('memories')
        if ((await countAt(tx, place)) >= most[scope])
          throw new ClawbooError('memory_full', `this scope already has ${most[scope]} memories; forget some first`)
        const author = { author: authorOf(who), runId: who.kind === 'agent' ? who.runId : null, sourceKind: who.kind }
        const trust = who.kind === 'operator' ? 'operator' : await trustOf(tx, who.runId, sources)
        const made = await tx.memories.insert({ ...place, ...author, trust, text, createdAt: now() }, position)
        await recordAct(tx, who, 'memory.save', made.id, now(), { scope, trust, characters: text.length })
        return made
      })
      return memoryOf(saved)
    },

    /** Newest first. Each word of the query must start a word of the memory. */
    search: async (who: Rememberer, query: string, limit: number) =>
      fitPage(await store.memories.search(readerOf(who), query, limit + 1), limit),

    /** Newest first. `before` is the last id of the previous page; throws `memory_not_found` when it does not exist. */
    async browse(who: Rememberer, { before, scope, limit }: BrowsePage) {
      const reader = readerOf(who)
      const from = before === undefined ? null : await store.memories.get(before, reader)
      if (before !== undefined && !from) throw notFound(before)
      const page = { limit: limit + 1, ...(from && { before: from.position }), ...(scope && { scope }) }
      return fitPage(await store.memories.browse(reader, page), limit)
    },

    /** An agent can forget only its own memories. Throws `memory_not_found`, including for a memory of another agent. */
    async forget(who: Rememberer, id: string) {
      await store.transaction(async (tx) => {
        const gone = await tx.memories.remove(id, readerOf(who), who.kind === 'agent' ? authorOf(who) : null)
        if (!gone) throw notFound(id)
        await recordAct(tx, who, 'memory.forget', id, now(), null)
      })
    },
  }
}

function placeOf(who: Rememberer, scope: MemoryScope): Pick<StoredMemory, 'scope' | 'agentId' | 'teamId'> {
  if (who.kind === 'operator') {
    if (scope === 'everyone') return { scope, agentId: null, teamId: null }
    throw new ClawbooError('request_invalid', 'the operator has no memory of its own; save for everyone')
  }
  if (scope === 'agent') return { scope, agentId: who.agentId, teamId: null }
  if (scope === 'everyone') throw new ClawbooError('request_invalid', 'only the operator can save for everyone')
  if (who.teamId === null) throw new ClawbooError('request_invalid', 'this agent has no team')
  return { scope, agentId: null, teamId: who.teamId }
}

function countAt(tx: Repositories, { agentId, teamId }: Pick<StoredMemory, 'agentId' | 'teamId'>): Promise<number> {
  if (agentId !== null) return tx.memories.count({ agentId })
  return tx.memories.count(teamId === null ? 'everyone' : { teamId })
}

function readerOf(who: Rememberer): MemoryReader {
  return who.kind === 'operator' ? null : { agentId: who.agentId, teamId: who.teamId }
}

function authorOf(who: Rememberer): string {
  return who.kind === 'operator' ? 'operator' : `agent:${who.agentId}`
}

/**
 * Returns the lowest trust of the sources. Text counts as the agent's own only in a run that answers a person's
 * message.
 */
async function trustOf(tx: Repositories, runId: string, sources: readonly SourceTrust[]): Promise<SourceTrust> {
  const claimed = sources.map((source) => (source === 'operator' ? 'outside' : source))
  if (claimed.length === 0) return leastTrusted(claimed)
  const isWithPerson = (await tx.runs.get(runId))?.trigger === 'message'
  return leastTrusted(isWithPerson ? claimed : [...claimed, 'teammate'])
}

/** Leaves the text out of the audit log, so that a forgotten memory is really deleted. */
async function recordAct(
  tx: Repositories,
  who: Rememberer,
  action: string,
  subject: string,
  at: number,
  detail: unknown,
): Promise<void> {
  const runId = who.kind === 'agent' ? who.runId : null
  await tx.audit.append({ at, actor: authorOf(who), action, subject, runId, detail })
}

function fitPage(found: readonly StoredMemory[], limit: number): MemoryPage {
  let left = MAX_ANSWER_CHARACTERS
  const fitting = found.slice(0, limit).filter(({ text }) => {
    left -= text.length
    return left >= 0
  })
  return { memories: fitting.map(memoryOf), hasMore: fitting.length < found.length }
}

function memoryOf({ position: _, ...memory }: StoredMemory): Memory {
  return {
    ...memory,
    sourceKind: memory.sourceKind as Memory['sourceKind'],
    trust: memory.trust as SourceTrust,
  }
}

function notFound(id: string): ClawbooError {
  return new ClawbooError('memory_not_found', `there is no memory "${id}" here`, { details: { memoryId: id } })
}
