import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startServer } from '../server-process.ts'

/** A team with a long room, and one with an empty room. */
export interface SeededRooms {
  readonly long: string
  readonly fresh: string
  readonly ids: Readonly<Record<'Ada' | 'Kit', string>>
  /** A person in the long room. */
  readonly robin: string
}

/** Creates the teams with a separate server, then writes a hundred thousand posts directly into the database. */
export async function seedRooms(home: string, posts: number): Promise<SeededRooms> {
  const server = await startServer({ home, env: { CLAWBOO_LOG: 'error' } })
  const { client } = server
  const model = (await client.listProviders({})).demoModel!
  const makeTeam = async (name: string) => (await client.createTeam({ body: { name } })).team.id
  const joined = async (teamId: string, made: Promise<{ readonly id: string }>) => {
    const { id } = await made
    await client.addTeamMember({ params: { teamId, agentId: id } })
    return id
  }
  const makeBoo = (name: string, teamId: string) =>
    joined(teamId, client.createAgent({ body: { name, execConfig: { model } } }))
  const fresh = await makeTeam('Launch')
  const ids = { Ada: await makeBoo('Ada', fresh), Kit: await makeBoo('Kit', fresh) }
  const long = await makeTeam('Archive')
  const moss = await makeBoo('Moss', long)
  const robin = await joined(long, client.createAgent({ body: { name: 'Robin', participantKind: 'human' } }))
  await client.postToRoom({ body: { teamId: long, body: 'Post 1' } })
  await server.stop()
  fill(join(home, 'clawboo.sqlite'), { teamId: long, agentId: moss, posts })
  return { long, fresh, ids, robin }
}

function fill(file: string, room: { readonly teamId: string; readonly agentId: string; readonly posts: number }): void {
  const { teamId, agentId, posts } = room
  const db = new DatabaseSync(file)
  const roomId = `team:${teamId}`
  db.exec('BEGIN')
  db.prepare(
    `INSERT INTO team_chat (room_id, seq, id, team_id, author_kind, author_id, kind, body, addressed, hops, credential, created_at)
     WITH RECURSIVE number (seq) AS (SELECT 2 UNION ALL SELECT seq + 1 FROM number WHERE seq < ?)
     SELECT ?, seq, 'seeded-' || seq, ?, 'agent', ?, 'peer',
       'Post ' || seq || CASE seq % 7 WHEN 0 THEN char(10) || 'on **two** lines' ELSE '' END, '[]', 0, 'attached', ? + seq * 20000
     FROM number`,
  ).run(posts, roomId, teamId, agentId, Date.now() - posts * 20_000)
  db.prepare('UPDATE rooms SET head_seq = ? WHERE id = ?').run(posts, roomId)
  db.exec('COMMIT')
  db.close()
}
