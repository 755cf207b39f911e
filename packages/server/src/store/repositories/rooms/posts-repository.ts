import type { PostAuthor, TeamChatPost } from '@clawboo/core/team-chat'
import { readRecords } from '../../read-records.ts'
import { type Db, sql } from '../../sql.ts'

/** A post of a room, with the credential that it was written with. A post never changes. */
export interface StoredPost extends TeamChatPost {
  /**
   * The credential that the author is bound to: the id of a grant, `attached` for a run inside the server, `mediated` for
   * a run that the server posts for, `operator` or `server`.
   */
  readonly credential: string
  /** Identifies the turn that this post ends. Each key has one post. */
  readonly turnKey: string | null
}

/** The posts of all rooms. No query reads more rows than it returns. */
export function createPostsRepository(db: Db) {
  const { all, first } = readRecords(db, storedPost)
  return {
    insert: async (post: StoredPost) => {
      const [authorKind, authorId] = authorColumns(post.author)
      await db.run(sql`INSERT INTO team_chat (room_id, seq, id, team_id, author_kind, author_id, kind, body, addressed,
          chain_id, hops, run_id, task_id, credential, turn_key, created_at)
        VALUES (${post.roomId}, ${post.seq}, ${post.id}, ${post.teamId}, ${authorKind}, ${authorId},
          ${post.kind}, ${post.body}, ${JSON.stringify(post.to)}, ${post.chainId}, ${post.hops}, ${post.runId},
          ${post.taskId}, ${post.credential}, ${post.turnKey}, ${post.createdAt})`)
    },
    get: (id: string) => first(sql`SELECT * FROM team_chat WHERE id = ${id}`),
    ofTurn: (turnKey: string) => first(sql`SELECT * FROM team_chat WHERE turn_key = ${turnKey}`),
    /** The agent's last post in the room. */
    lastOf: (roomId: string, agentId: string) =>
      first(sql`SELECT * FROM team_chat WHERE room_id = ${roomId} AND author_kind = 'agent' AND author_id = ${agentId}
        ORDER BY seq DESC LIMIT 1`),
    /** Oldest first. */
    after: (roomId: string, seq: number, limit: number) =>
      all(sql`SELECT * FROM team_chat WHERE room_id = ${roomId} AND seq > ${seq} ORDER BY seq LIMIT ${limit}`),
    /** The newest posts before `seq`, or of the whole room, oldest first. */
    before: async (roomId: string, seq: number | null, limit: number) => {
      const newestFirst = await all(sql`SELECT * FROM team_chat
        WHERE room_id = ${roomId} AND seq < ${seq ?? Number.MAX_SAFE_INTEGER} ORDER BY seq DESC LIMIT ${limit}`)
      return newestFirst.reverse()
    },
  }
}

type PostRow = Omit<StoredPost, 'author' | 'to'> & {
  readonly authorKind: 'agent' | 'person' | 'operator' | 'server'
  readonly authorId: string
  /** JSON text. */
  readonly addressed: string
}

/** Lists every field, because leaving some out of a copy takes many times as long and a room has many posts. */
function storedPost(row: PostRow): StoredPost {
  return {
    roomId: row.roomId,
    seq: row.seq,
    id: row.id,
    teamId: row.teamId,
    author: authorOf(row),
    kind: row.kind,
    body: row.body,
    // Most posts have no addressee, and need no parsing.
    to: row.addressed === '[]' ? [] : (JSON.parse(row.addressed) as string[]),
    chainId: row.chainId,
    hops: row.hops,
    runId: row.runId,
    taskId: row.taskId,
    credential: row.credential,
    turnKey: row.turnKey,
    createdAt: row.createdAt,
  }
}

/** The operator is a person. No agent and no other person has this id. */
export const OPERATOR_AUTHOR = { kind: 'person', id: 'operator' } as const satisfies PostAuthor

function authorColumns(author: PostAuthor): [kind: PostRow['authorKind'], id: string] {
  if (author.kind === 'system') return ['server', 'server']
  const isOperator = author.kind === 'person' && author.id === OPERATOR_AUTHOR.id
  return [isOperator ? 'operator' : author.kind, author.id]
}

function authorOf({ authorKind: kind, authorId: id }: PostRow): PostAuthor {
  if (kind === 'server') return { kind: 'system' }
  return { kind: kind === 'operator' ? 'person' : kind, id }
}
