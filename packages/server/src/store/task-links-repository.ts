import type { Blocker, TaskLink, TaskStatus } from '@clawboo/core/board'
import { type Db, list, ROWS_PER_STATEMENT, type Sql, sql } from './sql.ts'

/** Which task waits for which. Whoever writes here holds the team's lock, or a ring could close unseen. */
export interface TaskLinksRepository {
  /** False when it is there already. */
  insert(link: TaskLink, at: number): Promise<boolean>
  /** False when it was not there. */
  remove(link: TaskLink): Promise<boolean>
  /** Links by which these hold others up. */
  from(blockerIds: readonly string[]): Promise<TaskLink[]>
  /** Links by which these wait for others. */
  into(blockedIds: readonly string[]): Promise<TaskLink[]>
  /** What each of these waits for; every id has an entry. */
  blockersOf(blockedIds: readonly string[]): Promise<Map<string, Blocker[]>>
}

export function createTaskLinksRepository(db: Db): TaskLinksRepository {
  const links = async (ids: readonly string[], statement: (chunk: Sql) => Sql) => {
    const found: TaskLink[] = []
    for (const chunk of chunksOf(ids)) {
      const rows = await db.all<LinkRow>(statement(list(chunk)))
      found.push(...rows.map((row) => ({ blockerId: row.blocker_id, blockedId: row.blocked_id })))
    }
    return found
  }
  return {
    insert: async ({ blockerId, blockedId }, at) =>
      (await db.run(sql`INSERT INTO task_links (blocker_id, blocked_id, created_at)
        VALUES (${blockerId}, ${blockedId}, ${at}) ON CONFLICT (blocker_id, blocked_id) DO NOTHING`)) === 1,
    remove: async ({ blockerId, blockedId }) =>
      (await db.run(sql`DELETE FROM task_links WHERE blocker_id = ${blockerId} AND blocked_id = ${blockedId}`)) === 1,
    from: (ids) =>
      links(ids, (chunk) => sql`SELECT blocker_id, blocked_id FROM task_links WHERE blocker_id IN (${chunk})`),
    into: (ids) =>
      links(ids, (chunk) => sql`SELECT blocker_id, blocked_id FROM task_links WHERE blocked_id IN (${chunk})`),
    blockersOf: async (ids) => {
      const blockers = new Map<string, Blocker[]>(ids.map((id) => [id, []]))
      for (const chunk of chunksOf(ids)) {
        const rows = await db.all<BlockerRow>(sql`SELECT task_links.blocked_id, tasks.id, tasks.title, tasks.status,
            tasks.failed_at FROM task_links JOIN tasks ON tasks.id = task_links.blocker_id
          WHERE task_links.blocked_id IN (${list(chunk)}) ORDER BY task_links.created_at, tasks.id`)
        for (const row of rows)
          blockers
            .get(row.blocked_id)!
            .push({ id: row.id, title: row.title, status: row.status, failedAt: row.failed_at })
      }
      return blockers
    },
  }
}

interface LinkRow {
  readonly blocker_id: string
  readonly blocked_id: string
}

interface BlockerRow {
  readonly blocked_id: string
  readonly id: string
  readonly title: string
  readonly status: TaskStatus
  readonly failed_at: number | null
}

function chunksOf(ids: readonly string[]): string[][] {
  const unique = [...new Set(ids)]
  return Array.from({ length: Math.ceil(unique.length / ROWS_PER_STATEMENT) }, (_, n) =>
    unique.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT),
  )
}
