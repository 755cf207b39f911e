import type { Blocker, TaskLink } from '@clawboo/core/board'
import { type Db, list, ROWS_PER_STATEMENT, type Sql, sql } from '../../sql.ts'

/**
 * The links between tasks that wait and their blockers. Writers take the team's lock: two writers at once could close a
 * cycle that neither sees.
 */
export function createTaskLinksRepository(db: Db) {
  const links = async (ids: readonly string[], statement: (chunk: Sql) => Sql) => {
    const found: TaskLink[] = []
    for (const chunk of chunksOf(ids)) found.push(...(await db.all<TaskLink>(statement(list(chunk)))))
    return found
  }
  return {
    /** False when the link exists already. */
    insert: async ({ blockerId, blockedId }: TaskLink, at: number) =>
      (await db.run(sql`INSERT INTO task_links (blocker_id, blocked_id, created_at)
        VALUES (${blockerId}, ${blockedId}, ${at}) ON CONFLICT (blocker_id, blocked_id) DO NOTHING`)) === 1,
    /** False when the link does not exist. */
    remove: async ({ blockerId, blockedId }: TaskLink) =>
      (await db.run(sql`DELETE FROM task_links WHERE blocker_id = ${blockerId} AND blocked_id = ${blockedId}`)) === 1,
    /** The links in which these tasks block others. */
    from: (ids: readonly string[]) =>
      links(ids, (chunk) => sql`SELECT blocker_id, blocked_id FROM task_links WHERE blocker_id IN (${chunk})`),
    /** The links in which these tasks wait for others. */
    into: (ids: readonly string[]) =>
      links(ids, (chunk) => sql`SELECT blocker_id, blocked_id FROM task_links WHERE blocked_id IN (${chunk})`),
    /** The tasks that each of these waits for. Every id has an entry. */
    blockersOf: async (ids: readonly string[]) => {
      const blockers = new Map<string, Blocker[]>(ids.map((id) => [id, []]))
      for (const chunk of chunksOf(ids)) {
        const rows = await db.all<
          Blocker & { readonly blockedId: string }
        >(sql`SELECT task_links.blocked_id, tasks.id, tasks.title, tasks.status,
            tasks.failed_at FROM task_links JOIN tasks ON tasks.id = task_links.blocker_id
          WHERE task_links.blocked_id IN (${list(chunk)}) ORDER BY task_links.created_at, tasks.id`)
        for (const { blockedId, id, title, status, failedAt } of rows)
          blockers.get(blockedId)!.push({ id, title, status, failedAt })
      }
      return blockers
    },
  }
}

function chunksOf(ids: readonly string[]): string[][] {
  const unique = [...new Set(ids)]
  return Array.from({ length: Math.ceil(unique.length / ROWS_PER_STATEMENT) }, (_, n) =>
    unique.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT),
  )
}
