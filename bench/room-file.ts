import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../packages/server/src/store/open-store.ts'

export const TEAM = 'team-1'
export const ROOM = `team:${TEAM}`
/** A post of typical length. */
export const BODY = 'The draft is in the shared folder; the second half still needs numbers. '.repeat(3)

/** A database file with one team and the given number of posts in its room, by five agents. */
export async function makeRoomFile(posts: number): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-bench-'))
  const file = join(folder, 'clawboo.sqlite')
  const store = await openStore({ sqliteFile: file })
  await store.teams.insert({ id: TEAM, name: 'Bench', createdAt: 1 })
  await store.rooms.ensure({ id: ROOM, teamId: TEAM, at: 1 })
  await store.close()
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF')
  database
    .prepare(`INSERT INTO team_chat (room_id, seq, id, team_id, author_kind, author_id, kind, body, addressed, chain_id,
        hops, run_id, credential, created_at)
      WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
      SELECT ?, n, 'post-' || n, ?, 'agent', 'agent-' || (n % 5), 'peer', ?, '[]', 'post-' || n, 0, 'run-' || (n / 9),
        'attached', n FROM counted`)
    .run(posts, ROOM, TEAM, BODY)
  database.prepare('UPDATE rooms SET head_seq = ?').run(posts)
  database.close()
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}
