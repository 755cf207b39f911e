import type { AttentionAction, AttentionAnswer, AttentionItem, AttentionTask } from '@clawboo/core/executor'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, list, type Sql, sql } from '../../sql.ts'
import { storableText } from '../../storable-text.ts'

export interface NewAttentionItem {
  readonly id: string
  readonly kind: AttentionItem['kind']
  readonly agentId: string | null
  readonly runId: string | null
  readonly subjectId: string | null
  readonly title: string
  readonly detail: string
  readonly action: AttentionAction | null
  /** Set only for the kind `task`. */
  readonly task?: AttentionTask
  readonly answers: readonly AttentionAnswer[]
  readonly createdAt: number
  readonly expiresAt: number | null
}

/** The texts of an open item. */
export type AttentionWording = Pick<NewAttentionItem, 'title' | 'detail' | 'answers'> & { readonly task: AttentionTask }

/** The items that need a person. An item is settled once. */
export function createAttentionRepository(db: Db) {
  const { all, first } = readRecords(db, attentionItem)
  return {
    insert: async (item: NewAttentionItem) => (await first(insertStatement(item)))!,
    get: (id: string) => first(sql`SELECT ${COLUMNS} FROM attention_items WHERE id = ${id}`),
    /** The items with these ids; unknown ids are left out. */
    among: async (ids: readonly string[]) =>
      ids.length === 0 ? [] : all(sql`SELECT ${COLUMNS} FROM attention_items WHERE id IN (${list(ids)}) ORDER BY id`),
    /** The items with these ids that are no longer open. */
    settledAmong: async (ids: readonly string[]) =>
      ids.length === 0
        ? []
        : all(sql`SELECT ${COLUMNS} FROM attention_items WHERE id IN (${list(ids)}) AND state <> 'open' ORDER BY id`),
    /** Open items, oldest first, then settled items, newest first. */
    list: ({ state, limit }: { readonly state?: 'open' | 'settled'; readonly limit: number }) => {
      const condition = state === undefined ? sql`1 = 1` : state === 'open' ? sql`state = 'open'` : sql`state <> 'open'`
      return all(sql`SELECT ${COLUMNS} FROM attention_items WHERE ${condition}
        ORDER BY CASE WHEN state = 'open' THEN 0 ELSE 1 END,
          CASE WHEN state = 'open' THEN created_at ELSE -settled_at END, id LIMIT ${limit}`)
    },
    /** null when the item is settled, has expired or does not exist: only one of several answers counts. */
    answer: (
      id: string,
      { answer, by, at }: { readonly answer: AttentionAnswer; readonly by: string; readonly at: number },
    ) =>
      first(sql`UPDATE attention_items SET state = 'answered', answer = ${answer}, answered_by = ${by}, settled_at = ${at}
        WHERE id = ${id} AND state = 'open' AND (expires_at IS NULL OR expires_at > ${at}) RETURNING ${COLUMNS}`),
    /** The open approvals that belong to no run and have a subject with this prefix, oldest first. */
    openOutside: (prefix: string) =>
      all(sql`SELECT ${COLUMNS} FROM attention_items WHERE state = 'open' AND kind = 'approval' AND run_id IS NULL
        AND substr(subject_id, 1, ${prefix.length}) = ${prefix} ORDER BY created_at, id`),
    /** The subjects for which a run has an approval that is open, or that was answered since then. */
    askedInRuns: async (subjectIds: readonly string[], answeredSince: number) => {
      if (subjectIds.length === 0) return []
      const rows = await db.all<{ subjectId: string }>(sql`SELECT subject_id FROM attention_items
        WHERE (state = 'open' OR (state = 'answered' AND settled_at >= ${answeredSince}))
        AND kind = 'approval' AND run_id IS NOT NULL AND subject_id IN (${list(subjectIds)})`)
      return rows.map((row) => row.subjectId)
    },
    /** The open items of the kind `task`, of all tasks or of one, oldest first. */
    openTasks: (subjectId?: string) => {
      const ofTask = subjectId === undefined ? sql`1 = 1` : sql`subject_id = ${subjectId}`
      return all(sql`SELECT ${COLUMNS} FROM attention_items WHERE state = 'open' AND kind = 'task' AND ${ofTask}
        ORDER BY created_at, id`)
    },
    /** Replaces the texts of an open task item; null when it is not open. */
    reword: (id: string, { title, detail, answers, task }: AttentionWording) =>
      first(sql`UPDATE attention_items SET title = ${storableText(title, TITLE_CHARACTERS)},
        detail = ${storableText(detail, DETAIL_CHARACTERS)}, answers = ${JSON.stringify(answers)},
        action = ${JSON.stringify(task)} WHERE id = ${id} AND state = 'open' RETURNING ${COLUMNS}`),
    /** Expires the open items that no longer need an answer, and resolves to them. */
    expire: async (which: ExpiringItems, at: number) => {
      const named = 'runIds' in which ? which.runIds : 'ids' in which ? which.ids : null
      if (named?.length === 0) return []
      return all(sql`UPDATE attention_items SET state = 'expired', settled_at = ${at}
        WHERE state = 'open' AND ${conditionOf(which)} RETURNING ${COLUMNS}`)
    },
  }
}

type ExpiringItems =
  | { readonly dueAt: number }
  | { readonly runIds: readonly string[] }
  | { readonly ids: readonly string[] }

function conditionOf(which: ExpiringItems): Sql {
  if ('runIds' in which) return sql`run_id IN (${list(which.runIds)}) AND kind IN ('approval', 'task')`
  return 'ids' in which ? sql`id IN (${list(which.ids)})` : sql`expires_at <= ${which.dueAt}`
}

const TITLE_CHARACTERS = 200
const DETAIL_CHARACTERS = 4000

/** The texts as they read back after they were stored. */
export function storedWording(wording: AttentionWording): AttentionWording {
  const { title, detail } = wording
  return { ...wording, title: storableText(title, TITLE_CHARACTERS), detail: storableText(detail, DETAIL_CHARACTERS) }
}

const COLUMNS = sql`id, kind, agent_id, run_id, subject_id, title, detail, action, answers, state, answer, answered_by,
  created_at, settled_at, expires_at, (SELECT coalesce(agents.name_override, agents.name, agents.source_agent_id)
  FROM agents WHERE agents.id = attention_items.agent_id) AS agent_name`

/** The column `action` stores the action of an approval, or the task of a task item. */
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

const decode = rowDecoder<AttentionItem>({ json: ['action', 'answers'] })

function attentionItem(row: object): AttentionItem {
  const item = decode(row)
  if (item.kind !== 'task' || item.action === null) return item
  return { ...item, action: null, task: item.action as unknown as AttentionTask }
}
