import { type Db, sql } from '../../sql.ts'

interface StoredEvent {
  readonly seq: number
  readonly at: number
  readonly type: string
  /** JSON text. It is not parsed, because the feed sends the same text. */
  readonly body: string
}

/** The event log. Events are numbered in the order of commits, without gaps, so a reader that uses `after` misses none. */
export function createEventsRepository(db: Db) {
  return {
    /** Resolves to the event's number. Append last in a transaction: all other writers wait until the commit. */
    append: async ({ type, body, at }: { type: string; body: unknown; at: number }) => {
      const text = JSON.stringify(body)
      if (text === undefined) throw new TypeError(`the event ${type} has no JSON body`)
      const row = await db.get<{ seq: number }>(
        sql`INSERT INTO events (at, type, body) VALUES (${at}, ${type}, ${text}) RETURNING seq`,
      )
      return row!.seq
    },
    /** Ascending. */
    after: (seq: number, limit: number) =>
      db.all<StoredEvent>(sql`SELECT seq, at, type, body FROM events WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`),
    /** 0 when no event was ever appended. */
    lastSeq: async () => (await db.get<{ seq: number | null }>(sql`SELECT max(seq) AS seq FROM events`))?.seq ?? 0,
    /** The oldest stored event; 0 when no event was ever appended. */
    firstSeq: async () => (await db.get<{ seq: number | null }>(sql`SELECT min(seq) AS seq FROM events`))?.seq ?? 0,
    /** Deletes all but the newest `keepLast` events and resolves to the number deleted. The newest event always stays, because it carries the count. */
    prune: (keepLast: number) =>
      db.run(sql`DELETE FROM events WHERE seq <= (SELECT max(seq) FROM events) - ${Math.max(1, keepLast)}`),
  }
}
