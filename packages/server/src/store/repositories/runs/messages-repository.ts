import type { MessageMode, MessageRecord, MessageState, MessageVerdict } from '@clawboo/core/executor'
import { type Db, join, list, type Sql, sql } from '../../sql.ts'
import { storableText } from '../../storable-text.ts'
import { createCountersRepository } from '../server/counters-repository.ts'

export interface NewMessage {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly text: string
  readonly mode: MessageMode
  readonly model: string | null
  readonly sender: string
  /** The server that accepted the message and will deliver it. */
  readonly owner: string
  readonly createdAt: number
}

/** A message with the fields that only its delivery needs. */
export interface StoredMessage extends MessageRecord {
  /** Grows with every message, in the order of arrival. */
  readonly position: number
  /** How the message was accepted; null until that is decided. */
  readonly verdict: MessageVerdict | null
  /** The prompt that delivered the message. */
  readonly promptId: string | null
  /** The next attempt to deliver the message waits until then. */
  readonly notBefore: number | null
}

/** Fields to overwrite. An absent field keeps its value. */
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

/** All messages to agents, from acceptance to outcome. */
export function createMessagesRepository(db: Db) {
  const all = (query: Sql) => db.all<StoredMessage>(query)
  return {
    /** A known id changes nothing: `inserted` is false and `message` is the stored message. */
    insert: (message: NewMessage) =>
      db.transaction(async (tx) => {
        const position = await createCountersRepository(tx).next('messages')
        const inserted = await tx.get<StoredMessage>(insertStatement(message, position))
        if (inserted) return { message: inserted, inserted: true }
        const existing = await tx.get<StoredMessage>(sql`SELECT ${COLUMNS} FROM messages WHERE id = ${message.id}`)
        return { message: existing!, inserted: false }
      }),
    get: async (id: string) =>
      (await db.get<StoredMessage>(sql`SELECT ${COLUMNS} FROM messages WHERE id = ${id}`)) ?? null,
    /** The newest `limit` messages, in order of arrival. */
    list: async (
      agentId: string,
      {
        sessionKey,
        state,
        limit,
      }: { readonly sessionKey?: string; readonly state?: MessageState; readonly limit: number },
    ) => {
      const conditions = [sql`agent_id = ${agentId}`]
      if (sessionKey !== undefined) conditions.push(sql`session_key = ${sessionKey}`)
      if (state !== undefined) conditions.push(sql`state = ${state}`)
      const newestFirst = await all(
        sql`SELECT ${COLUMNS} FROM messages WHERE ${join(conditions, ' AND ')} ORDER BY position DESC LIMIT ${limit}`,
      )
      return newestFirst.reverse()
    },
    /** The messages that this server has to deliver or was delivering, in order of arrival. */
    waiting: (owner: string) =>
      all(sql`SELECT ${COLUMNS} FROM messages
        WHERE owner_instance = ${owner} AND state IN ('queued', 'delivering') ORDER BY position`),
    /** Changes the messages that are in one of the states `from`, and resolves to them in order of arrival. */
    update: async (ids: readonly string[], from: readonly MessageState[], patch: MessagePatch) => {
      if (ids.length === 0) return []
      const changed = await all(sql`UPDATE messages SET ${join(assignmentsOf(patch))}
        WHERE id IN (${list(ids)}) AND state IN (${list(from)}) RETURNING ${COLUMNS}`)
      return changed.sort((one, other) => one.position - other.position)
    },
  }
}

const REASON_CHARACTERS = 1000

const COLUMNS = sql`id, position, agent_id, session_key, body AS text, mode, model, sender, state, verdict, run_id, prompt_id,
  reason, attempts, not_before, created_at, settled_at`

function insertStatement(message: NewMessage, position: number): Sql {
  return sql`INSERT INTO messages (id, position, agent_id, session_key, body, mode, model, sender, state, attempts,
      owner_instance, created_at)
    VALUES (${message.id}, ${position}, ${message.agentId}, ${message.sessionKey}, ${message.text}, ${message.mode},
      ${message.model}, ${message.sender}, 'queued', 0, ${message.owner}, ${message.createdAt})
    ON CONFLICT (id) DO NOTHING RETURNING ${COLUMNS}`
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
