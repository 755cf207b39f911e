import type { AttentionAction, AttentionAnswer, AttentionItem, AttentionTask } from '@clawboo/core/executor'
import { type Db, list, type Sql, sql } from './sql.ts'
import { storableText } from './storable-text.ts'

export interface NewAttentionItem {
  readonly id: string
  readonly kind: AttentionItem['kind']
  readonly agentId: string | null
  readonly runId: string | null
  readonly subjectId: string | null
  readonly title: string
  readonly detail: string
  readonly action: AttentionAction | null
  /** Exactly with the kind `task`. */
  readonly task?: AttentionTask
  readonly answers: readonly AttentionAnswer[]
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** What is said of an item that is still open. */
export type AttentionWording = Pick<NewAttentionItem, 'title' | 'detail' | 'answers'> & { readonly task: AttentionTask }

/** What needs a person. An item is settled once. */
export interface AttentionRepository {
  insert(item: NewAttentionItem): Promise<AttentionItem>
  get(id: string): Promise<AttentionItem | null>
  /** Those of these that exist. */
  among(ids: readonly string[]): Promise<AttentionItem[]>
  /** Those of these that are not open any more. */
  settledAmong(ids: readonly string[]): Promise<AttentionItem[]>
  /** Open ones by age, then settled ones, newest first. */
  list(filter: { readonly state?: 'open' | 'settled'; readonly limit: number }): Promise<AttentionItem[]>
  /** null when it is settled already, its time is over, or it does not exist: of several answers one counts. */
  answer(
    id: string,
    answer: { readonly answer: AttentionAnswer; readonly by: string; readonly at: number },
  ): Promise<AttentionItem | null>
  /** The open approvals of no run whose subject begins so, the oldest first. */
  openOutside(subjectPrefix: string): Promise<AttentionItem[]>
  /** Those of these subjects about which a run has an approval that is open, or was answered since then. */
  askedInRuns(subjectIds: readonly string[], answeredSince: number): Promise<string[]>
  /** The open ones of the kind `task`, all of them or those of one task, the oldest first. */
  openTasks(subjectId?: string): Promise<AttentionItem[]>
  /** Says an open task's item anew; null when it is not open. */
  reword(id: string, wording: AttentionWording): Promise<AttentionItem | null>
  /** Ends the open ones that nobody waits for any more, and resolves to them. */
  expire(
    which: { readonly dueAt: number } | { readonly runIds: readonly string[] } | { readonly ids: readonly string[] },
    at: number,
  ): Promise<AttentionItem[]>
}

export function createAttentionRepository(db: Db): AttentionRepository {
  const all = async (query: Sql) => (await db.all<AttentionRow>(query)).map(attentionItem)
  const first = async (query: Sql) => (await all(query))[0] ?? null
  return {
    insert: async (item) => (await first(insertStatement(item)))!,
    get: (id) => first(sql`SELECT ${COLUMNS} FROM attention_items WHERE id = ${id}`),
    among: async (ids) =>
      ids.length === 0 ? [] : all(sql`SELECT ${COLUMNS} FROM attention_items WHERE id IN (${list(ids)}) ORDER BY id`),
    settledAmong: async (ids) =>
      ids.length === 0
        ? []
        : all(sql`SELECT ${COLUMNS} FROM attention_items WHERE id IN (${list(ids)}) AND state <> 'open' ORDER BY id`),
    list: ({ state, limit }) => {
      const condition = state === undefined ? sql`1 = 1` : state === 'open' ? sql`state = 'open'` : sql`state <> 'open'`
      return all(sql`SELECT ${COLUMNS} FROM attention_items WHERE ${condition}
        ORDER BY CASE WHEN state = 'open' THEN 0 ELSE 1 END,
          CASE WHEN state = 'open' THEN created_at ELSE -settled_at END, id LIMIT ${limit}`)
    },
    answer: (id, { answer, by, at }) =>
      first(sql`UPDATE attention_items SET state = 'answered', answer = ${answer}, answered_by = ${by}, settled_at = ${at}
        WHERE id = ${id} AND state = 'open' AND (expires_at IS NULL OR expires_at > ${at}) RETURNING ${COLUMNS}`),
    openOutside: (prefix) =>
      all(sql`SELECT ${COLUMNS} FROM attention_items WHERE state = 'open' AND kind = 'approval' AND run_id IS NULL
        AND substr(subject_id, 1, ${prefix.length}) = ${prefix} ORDER BY created_at, id`),
    askedInRuns: async (subjectIds, answeredSince) => {
      if (subjectIds.length === 0) return []
      const rows = await db.all<{ subject_id: string }>(sql`SELECT subject_id FROM attention_items
        WHERE (state = 'open' OR (state = 'answered' AND settled_at >= ${answeredSince}))
        AND kind = 'approval' AND run_id IS NOT NULL AND subject_id IN (${list(subjectIds)})`)
      return rows.map((row) => row.subject_id)
    },
    openTasks: (subjectId) => {
      const of = subjectId === undefined ? sql`1 = 1` : sql`subject_id = ${subjectId}`
      return all(sql`SELECT ${COLUMNS} FROM attention_items WHERE state = 'open' AND kind = 'task' AND ${of}
        ORDER BY created_at, id`)
    },
    reword: (id, { title, detail, answers, task }) =>
      first(sql`UPDATE attention_items SET title = ${storableText(title, TITLE_CHARACTERS)},
        detail = ${storableText(detail, DETAIL_CHARACTERS)}, answers = ${JSON.stringify(answers)},
        action = ${JSON.stringify(task)} WHERE id = ${id} AND state = 'open' RETURNING ${COLUMNS}`),
    expire: async (which, at) => {
      const named = 'runIds' in which ? which.runIds : 'ids' in which ? which.ids : null
      if (named?.length === 0) return []
      const due =
        'runIds' in which
          ? sql`run_id IN (${list(which.runIds)}) AND kind IN ('approval', 'task')`
          : 'ids' in which
            ? sql`id IN (${list(which.ids)})`
            : sql`expires_at <= ${which.dueAt}`
      return all(sql`UPDATE attention_items SET state = 'expired', settled_at = ${at}
        WHERE state = 'open' AND ${due} RETURNING ${COLUMNS}`)
    },
  }
}

const TITLE_CHARACTERS = 200
const DETAIL_CHARACTERS = 4000

/** As the texts of an item read back. */
export function storedWording(wording: AttentionWording): AttentionWording {
  const { title, detail } = wording
  return { ...wording, title: storableText(title, TITLE_CHARACTERS), detail: storableText(detail, DETAIL_CHARACTERS) }
}

const COLUMNS = sql`*, (SELECT coalesce(agents.name_override, agents.name, agents.source_agent_id)
  FROM agents WHERE agents.id = attention_items.agent_id) AS agent_name`

/** What an item is about stands in one column, whatever its kind. */
function insertStatement(item: NewAttentionItem): Sql {
  const about = item.task ?? item.action
  return sql`INSERT INTO attention_items (id, kind, agent_id, run_id, subject_id, title, detail, action, answers, state,
      created_at, expires_at)
    VALUES (${item.id}, ${item.kind}, ${item.agentId}, ${item.runId}, ${item.subjectId},
      ${storableText(item.title, TITLE_CHARACTERS)}, ${storableText(item.detail, DETAIL_CHARACTERS)},
      ${about === null ? null : JSON.stringify(about)}, ${JSON.stringify(item.answers)}, 'open',
      ${item.createdAt}, ${item.expiresAt})
    RETURNING ${COLUMNS}`
}

interface AttentionRow {
  readonly id: string
  readonly kind: AttentionItem['kind']
  readonly agent_id: string | null
  readonly agent_name: string | null
  readonly run_id: string | null
  readonly subject_id: string | null
  readonly title: string
  readonly detail: string
  readonly action: string | null
  readonly answers: string
  readonly state: AttentionItem['state']
  readonly answer: AttentionAnswer | null
  readonly answered_by: string | null
  readonly created_at: number
  readonly settled_at: number | null
  readonly expires_at: number | null
}

function attentionItem(row: AttentionRow): AttentionItem {
  const about = row.action === null ? null : (JSON.parse(row.action) as AttentionAction | AttentionTask)
  const isTask = row.kind === 'task' && about !== null
  return {
    id: row.id,
    kind: row.kind,
    agentId: row.agent_id,
    agentName: row.agent_name,
    runId: row.run_id,
    subjectId: row.subject_id,
    title: row.title,
    detail: row.detail,
    action: isTask ? null : (about as AttentionAction | null),
    ...(isTask && { task: about as AttentionTask }),
    answers: JSON.parse(row.answers) as AttentionAnswer[],
    state: row.state,
    answer: row.answer,
    answeredBy: row.answered_by,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    expiresAt: row.expires_at,
  }
}
