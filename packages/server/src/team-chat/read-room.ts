import { ClawbooError } from '@clawboo/core'
import { teamIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'

export interface PostPage {
  /** Oldest first. */
  readonly posts: readonly StoredPost[]
  /** The number of the room's last post when it was read; 0 = none. */
  readonly head: number
  /** Whether there are more in the direction that was read. */
  readonly hasMore: boolean
}

export interface FollowingPage extends PostPage {
  /** Where to go on from: the last post that was looked at, which may be one that was left out. */
  readonly next: number
}

export interface FollowWish {
  readonly seq: number
  /** How many are looked at; fewer are given when some are the reader's own. */
  readonly limit: number
  /** An agent does not hear its own words again. */
  readonly exceptAuthor?: string | null
}

type Readable = Pick<Repositories, 'rooms' | 'posts' | 'teams'>

/**
 * What was posted behind a number. It skips nothing: the cursor moves on to the last post that was looked at and not to
 * the head, which may have moved meanwhile. Throws `room_not_found`.
 */
export async function readAfter(from: Readable, roomId: string, wish: FollowWish): Promise<FollowingPage> {
  const head = await headOf(from, roomId)
  // A cursor of a room that was there before, under the same id, must not wait for numbers that are long in coming.
  const start = Math.min(wish.seq, head)
  const rows = await from.posts.after(roomId, start, wish.limit)
  const next = rows.at(-1)?.seq ?? start
  const { exceptAuthor = null } = wish
  const posts = exceptAuthor === null ? rows : rows.filter(({ author }) => !isAgent(author, exceptAuthor))
  return { posts, next, head: Math.max(head, next), hasMore: next < head }
}

/** The newest posts before a number, or of all. Throws `room_not_found`. */
export async function readBefore(
  from: Readable,
  roomId: string,
  wish: { readonly seq: number | null; readonly limit: number },
): Promise<PostPage> {
  const head = await headOf(from, roomId)
  const posts = await from.posts.before(roomId, wish.seq, wish.limit)
  return { posts, head: Math.max(head, posts.at(-1)?.seq ?? 0), hasMore: (posts[0]?.seq ?? 1) > 1 }
}

/** A team that nobody has spoken in yet has an empty room. */
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
