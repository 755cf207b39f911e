import { ClawbooError } from '@clawboo/core'
import { teamIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'

export interface PostPage {
  /** Oldest first. */
  readonly posts: readonly StoredPost[]
  /** The number of the room's last post at the time of reading; 0 = none. */
  readonly head: number
  /** Whether there are more posts in the direction of reading. */
  readonly hasMore: boolean
}

export interface FollowingPage extends PostPage {
  /** The cursor for the next page: the last post that was read, even if it was left out of this page. */
  readonly next: number
}

export interface FollowRequest {
  readonly seq: number
  /** The number of posts to read. The page has fewer when some are by `exceptAuthor`. */
  readonly limit: number
  /** Leaves out the posts of this agent, which does not need its own words again. */
  readonly exceptAuthor?: string | null
}

type Readable = Pick<Repositories, 'rooms' | 'posts' | 'teams'>

/**
 * The posts after a number. The cursor moves to the last post that was read and never to the head, which may have moved
 * in the meantime: no post is skipped. Throws `room_not_found`.
 */
export async function readAfter(
  repositories: Readable,
  roomId: string,
  request: FollowRequest,
): Promise<FollowingPage> {
  const head = await headOf(repositories, roomId)
  // A cursor from an earlier room with the same id must not wait for numbers that this room reaches much later.
  const start = Math.min(request.seq, head)
  const rows = await repositories.posts.after(roomId, start, request.limit)
  const next = rows.at(-1)?.seq ?? start
  const { exceptAuthor = null } = request
  const posts = exceptAuthor === null ? rows : rows.filter(({ author }) => !isAgent(author, exceptAuthor))
  return { posts, next, head: Math.max(head, next), hasMore: next < head }
}

/** The newest posts before a number, or the newest of all. Throws `room_not_found`. */
export async function readBefore(
  repositories: Readable,
  roomId: string,
  request: { readonly seq: number | null; readonly limit: number },
): Promise<PostPage> {
  const head = await headOf(repositories, roomId)
  const posts = await repositories.posts.before(roomId, request.seq, request.limit)
  return { posts, head: Math.max(head, posts.at(-1)?.seq ?? 0), hasMore: (posts[0]?.seq ?? 1) > 1 }
}

/** A team without posts has no room yet, which reads like an empty one. */
async function headOf({ rooms, teams }: Readable, roomId: string): Promise<number> {
  const room = await rooms.get(roomId)
  if (room) return room.headSeq
  const teamId = teamIdOf(roomId)
  if (teamId === null || !(await teams.get(teamId)))
    throw new ClawbooError('room_not_found', `there is no room "${roomId}"`, { details: { roomId } })
  return 0
}

function isAgent(author: StoredPost['author'], agentId: string): boolean {
  return author.kind === 'agent' && author.id === agentId
}
