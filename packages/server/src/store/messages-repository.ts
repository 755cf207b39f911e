import type { MessageMode, MessageRecord, MessageState, MessageVerdict } from '@clawboo/core/executor'
import { createCountersRepository } from './counters-repository.ts'
import { type Db, join, list, type Sql, sql } from './sql.ts'
import { storableText } from './storable-text.ts'

export interface NewMessage {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly text: string
  readonly mode: MessageMode
  readonly model: string | null
  readonly sender: string
  /** The server that accepted it and will deliver it. */
  readonly owner: string
  readonly createdAt: number
}

/** A message with what only its delivery needs. */
export interface StoredMessage extends MessageRecord {
  /** Grows with every message: the order of arrival. */
  readonly position: number
  /** What became of it at once; null until that is known. */
  readonly verdict: MessageVerdict | null
  /** The prompt it was handed over as. */
  readonly promptId: string | null
  /** A further attempt waits until then. */
  readonly notBefore: number | null
}

/** Fields to overwrite; an absent one stays as it is. */
export interface MessagePatch {
  readonly state?: MessageState
  readonly verdict?: MessageVerdict
  readonly runId?: string | null
  readonly promptId?: string | null
  readonly reason?: string | null
  readonly attempts?: number
  readonly notBefore?: number | null
  readonly settledAt?: number | null
}

/** Everything that was said to agents, from acceptance to outcome. */
export interface MessagesRepository {
  /** A known id changes nothing: then `inserted` is false and the message is the one that is there. */
  insert(message: NewMessage): Promise<{ readonly message: StoredMessage; readonly inserted: boolean }>
  get(id: string): Promise<StoredMessage | null>
  /** The newest `limit`, in order of arrival. */
  list(
    agentId: string,
    filter: { readonly sessionKey?: string; readonly state?: MessageState; readonly limit: number },
  ): Promise<StoredMessage[]>
  /** What this server has to deliver or was delivering, in order of arrival. */
  waiting(owner: string): Promise<StoredMessage[]>
  /** Changes those that are in one of the states `from`, and resolves to them in order of arrival. */
  update(ids: readonly string[], from: readonly MessageState[], patch: MessagePatch): Promise<StoredMessage[]>
}

export function createMessagesRepository(db: Db): MessagesRepository {
  const all = async (query: Sql) => (await db.all<MessageRow>(query)).map(storedMessage)
  const get = async (id: string) => (await all(sql`SELECT * FROM messages WHERE id = ${id}`))[0] ?? null
  return {
    insert: (message) =>
      db.transaction(async (tx) => {
        const [inserted] = await tx.all<MessageRow>(
          insertStatement(message, await createCountersRepository(tx).next('messages')),
        )
        if (inserted) return { message: storedMessage(inserted), inserted: true }
        const there = await tx.get<MessageRow>(sql`SELECT * FROM messages WHERE id = ${message.id}`)
        return { message: storedMessage(there!), inserted: false }
      }),
    get,
    list: async (agentId, { sessionKey, state, limit }) => {
      const conditions = [sql`agent_id = ${agentId}`]
      if (sessionKey !== undefined) conditions.push(sql`session_key = ${sessionKey}`)
      if (state !== undefined) conditions.push(sql`state = ${state}`)
      const newestFirst = await all(
        sql`SELECT * FROM messages WHERE ${join(conditions, ' AND ')} ORDER BY position DESC LIMIT ${limit}`,
      )
      return newestFirst.reverse()
    },
    waiting: (owner) =>
      all(
        sql`SELECT * FROM messages WHERE owner_instance = ${owner} AND state IN ('queued', 'delivering') ORDER BY position`,
      ),
    update: async (ids, from, patch) => {
      if (ids.length === 0) return []
      const changed = await all(sql`UPDATE messages SET ${join(assignmentsOf(patch))}
        WHERE id IN (${list(ids)}) AND state IN (${list(from)}) RETURNING *`)
      return changed.sort((one, other) => one.position - other.position)
    },
  }
}

const REASON_CHARACTERS = 1000

function insertStatement(message: NewMessage, position: number): Sql {
  return sql`INSERT INTO messages (id, position, agent_id, session_key, body, mode, model, sender, state, attempts,
      owner_instance, created_at)
    VALUES (${message.id}, ${position}, ${message.agentId}, ${message.sessionKey}, ${message.text}, ${message.mode},
      ${message.model}, ${message.sender}, 'queued', 0, ${message.owner}, ${message.createdAt})
    ON CONFLICT (id) DO NOTHING RETURNING *`
}

function assignmentsOf(patch: MessagePatch): Sql[] {
  const assignments: Sql[] = []
  if (patch.state !== undefined) assignments.push(sql`state = ${patch.state}`)
  if (patch.verdict !== undefined) assignments.push(sql`verdict = ${patch.verdict}`)
  if (patch.runId !== undefined) assignments.push(sql`run_id = ${patch.runId}`)
  if (patch.promptId !== undefined) assignments.push(sql`prompt_id = ${patch.promptId}`)
  if (patch.reason !== undefined)
    assignments.push(sql`reason = ${patch.reason === null ? null : storableText(patch.reason, REASON_CHARACTERS)}`)
  if (patch.attempts !== undefined) assignments.push(sql`attempts = ${patch.attempts}`)
  if (patch.notBefore !== undefined) assignments.push(sql`not_before = ${patch.notBefore}`)
  if (patch.settledAt !== undefined) assignments.push(sql`settled_at = ${patch.settledAt}`)
  return assignments
}

interface MessageRow {
  readonly id: string
  readonly position: number
  readonly agent_id: string
  readonly session_key: string
  readonly body: string
  readonly mode: MessageMode
  readonly model: string | null
  readonly sender: string
  readonly state: MessageState
  readonly verdict: MessageVerdict | null
  readonly run_id: string | null
  readonly prompt_id: string | null
  readonly reason: string | null
  readonly attempts: number
  readonly not_before: number | null
  readonly created_at: number
  readonly settled_at: number | null
}

function storedMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    position: row.position,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    text: row.body,
    mode: row.mode,
    model: row.model,
    sender: row.sender,
    state: row.state,
    verdict: row.verdict,
    runId: row.run_id,
    promptId: row.prompt_id,
    reason: row.reason,
    attempts: row.attempts,
    notBefore: row.not_before,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  }
}
