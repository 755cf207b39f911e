import type { PostAuthor, PostKind, RoomId, TeamChatPost } from '@clawboo/core/team-chat'
import { type Db, type Sql, sql } from './sql.ts'

/** What was said in a room, and by what right. Nothing of it ever changes. */
export interface StoredPost extends TeamChatPost {
  /**
   * What bound the author: the id of a grant, `attached` for a run within the server, `mediated` for one that the server
   * spoke for, `operator`, `server`.
   */
  readonly credential: string
  /** Of a turn's own post: there is one for each key. */
  readonly turnKey: string | null
}

/** Posts of rooms. No read looks at more rows than it is asked for. */
export interface PostsRepository {
  insert(post: StoredPost): Promise<void>
  get(id: string): Promise<StoredPost | null>
  ofTurn(turnKey: string): Promise<StoredPost | null>
  /** What an agent said last in a room. */
  lastOf(roomId: string, agentId: string): Promise<StoredPost | null>
  /** Oldest first. */
  after(roomId: string, seq: number, limit: number): Promise<StoredPost[]>
  /** The newest of those before `seq`, or of all, oldest of them first. */
  before(roomId: string, seq: number | null, limit: number): Promise<StoredPost[]>
}

export function createPostsRepository(db: Db): PostsRepository {
  const first = async (query: Sql) => {
    const row = await db.get<PostRow>(query)
    return row ? storedPost(row) : null
  }
  return {
    insert: async (post) => {
      const [authorKind, authorId] = authorColumns(post.author)
      await db.run(sql`INSERT INTO team_chat (room_id, seq, id, team_id, author_kind, author_id, kind, body, addressed,
          chain_id, hops, run_id, task_id, credential, turn_key, created_at)
        VALUES (${post.roomId}, ${post.seq}, ${post.id}, ${post.teamId}, ${authorKind}, ${authorId},
          ${post.kind}, ${post.body}, ${JSON.stringify(post.to)}, ${post.chainId}, ${post.hops}, ${post.runId},
          ${post.taskId}, ${post.credential}, ${post.turnKey}, ${post.createdAt})`)
    },
    get: (id) => first(sql`SELECT * FROM team_chat WHERE id = ${id}`),
    ofTurn: (turnKey) => first(sql`SELECT * FROM team_chat WHERE turn_key = ${turnKey}`),
    lastOf: (roomId, agentId) =>
      first(sql`SELECT * FROM team_chat WHERE room_id = ${roomId} AND author_kind = 'agent' AND author_id = ${agentId}
        ORDER BY seq DESC LIMIT 1`),
    after: async (roomId, seq, limit) => {
      const rows = await db.all<PostRow>(sql`SELECT * FROM team_chat WHERE room_id = ${roomId} AND seq > ${seq}
        ORDER BY seq LIMIT ${limit}`)
      return rows.map(storedPost)
    },
    before: async (roomId, seq, limit) => {
      const rows = await db.all<PostRow>(sql`SELECT * FROM team_chat
        WHERE room_id = ${roomId} AND seq < ${seq ?? Number.MAX_SAFE_INTEGER} ORDER BY seq DESC LIMIT ${limit}`)
      return rows.map(storedPost).reverse()
    },
  }
}

interface PostRow {
  readonly room_id: RoomId
  readonly seq: number
  readonly id: string
  readonly team_id: string
  readonly author_kind: 'agent' | 'person' | 'operator' | 'server'
  readonly author_id: string
  readonly kind: PostKind
  readonly body: string
  readonly addressed: string
  readonly chain_id: string | null
  readonly hops: number
  readonly run_id: string | null
  readonly task_id: string | null
  readonly credential: string
  readonly turn_key: string | null
  readonly created_at: number
}

function storedPost(row: PostRow): StoredPost {
  return {
    roomId: row.room_id,
    seq: row.seq,
    id: row.id,
    teamId: row.team_id,
    author: authorOf(row),
    kind: row.kind,
    body: row.body,
    // Nearly all are addressed to nobody.
    to: row.addressed === '[]' ? [] : (JSON.parse(row.addressed) as string[]),
    chainId: row.chain_id,
    hops: row.hops,
    runId: row.run_id,
    taskId: row.task_id,
    credential: row.credential,
    turnKey: row.turn_key,
    createdAt: row.created_at,
  }
}

/** The operator is a person whose id no agent and no other person has. */
export const OPERATOR_AUTHOR = { kind: 'person', id: 'operator' } as const satisfies PostAuthor

function authorColumns(author: PostAuthor): [kind: PostRow['author_kind'], id: string] {
  if (author.kind === 'system') return ['server', 'server']
  const isOperator = author.kind === 'person' && author.id === OPERATOR_AUTHOR.id
  return [isOperator ? 'operator' : author.kind, author.id]
}

function authorOf({ author_kind: kind, author_id: id }: PostRow): PostAuthor {
  if (kind === 'server') return { kind: 'system' }
  return { kind: kind === 'operator' ? 'person' : kind, id }
}
