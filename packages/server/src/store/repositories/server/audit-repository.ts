import { readRecords, rowDecoder } from '../../read-records.ts'
import { sortableId } from '../../sortable-id.ts'
import { type Db, sql } from '../../sql.ts'

interface NewAuditEntry {
  readonly at: number
  /** The actor that the credential is bound to. */
  readonly actor: string
  readonly action: string
  /** The thing that the action changed. */
  readonly subject: string
  readonly runId?: string | null
  readonly detail?: unknown
}

export interface AuditEntry extends NewAuditEntry {
  /** Ids sort in the order of writing. */
  readonly id: string
  readonly runId: string | null
  readonly detail: unknown
}

/** A record of every action and its actor. Entries are added and never changed. */
export function createAuditRepository(db: Db) {
  return {
    append: async ({ at, actor, action, subject, runId = null, detail = null }: NewAuditEntry) => {
      const id = sortableId()
      await db.run(sql`INSERT INTO audit (id, at, actor, action, subject, run_id, detail)
        VALUES (${id}, ${at}, ${actor}, ${action}, ${subject}, ${runId}, ${detail === null ? null : JSON.stringify(detail)})`)
      return { id, at, actor, action, subject, runId, detail }
    },
    /** Newest first. Lists only entries before the id `before`. */
    list: ({ limit, before }: { limit: number; before?: string }) => {
      const older = before === undefined ? sql`1 = 1` : sql`id < ${before}`
      return readRecords(db, auditEntry).all(sql`SELECT * FROM audit WHERE ${older} ORDER BY id DESC LIMIT ${limit}`)
    },
  }
}

const auditEntry = rowDecoder<AuditEntry>({ json: ['detail'] })
