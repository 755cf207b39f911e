import { sortableId } from './sortable-id.ts'
import { type Db, sql } from './sql.ts'

export interface NewAuditEntry {
  readonly at: number
  /** Who did it, as bound to the credential. */
  readonly actor: string
  readonly action: string
  /** What it was done to. */
  readonly subject: string
  readonly runId?: string | null
  readonly detail?: unknown
}

export interface AuditEntry extends NewAuditEntry {
  /** Sorts in order of writing. */
  readonly id: string
  readonly runId: string | null
  readonly detail: unknown
}

/** Who did what. Entries are only ever added. */
export interface AuditRepository {
  append(entry: NewAuditEntry): Promise<AuditEntry>
  /** Newest first; `before` is the id to go on from. */
  list(options: { limit: number; before?: string }): Promise<AuditEntry[]>
}

export function createAuditRepository(db: Db): AuditRepository {
  return {
    append: async ({ at, actor, action, subject, runId = null, detail = null }) => {
      const id = sortableId()
      await db.run(sql`INSERT INTO audit (id, at, actor, action, subject, run_id, detail)
        VALUES (${id}, ${at}, ${actor}, ${action}, ${subject}, ${runId}, ${detail === null ? null : JSON.stringify(detail)})`)
      return { id, at, actor, action, subject, runId, detail }
    },
    list: async ({ limit, before }) => {
      const older = before === undefined ? sql`1 = 1` : sql`id < ${before}`
      const rows = await db.all<AuditRow>(sql`SELECT * FROM audit WHERE ${older} ORDER BY id DESC LIMIT ${limit}`)
      return rows.map(({ run_id, detail, ...entry }) => ({
        ...entry,
        runId: run_id,
        detail: detail === null ? null : JSON.parse(detail),
      }))
    },
  }
}

interface AuditRow {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly run_id: string | null
  readonly detail: string | null
}
