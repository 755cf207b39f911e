import { setImmediate as nextTick } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import { teamIdOf } from '@clawboo/core/team-chat'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import {
  appendPost,
  appendPosts,
  checkBody,
  cutBody,
  type PostChain,
  type PostDraft,
  postedEvent,
  roomLock,
} from './append-post.ts'
import { findAddressed, personAuthor, type SpeakingPerson } from './room-members.ts'

/** A run that posts, as its credential identifies it. */
export interface SpeakingRun {
  readonly teamId: string
  readonly agentId: string
  readonly runId: string
  readonly taskId: string | null
  /** See `StoredPost`. A `mediated` post that is too long is cut; any other is refused. */
  readonly credential: string
}

interface NewPost {
  readonly body: string
  /** Members of the team, by id or name. */
  readonly to?: readonly string[]
}

export type RoomPosts = ReturnType<typeof createRoomPosts>

interface RoomPostsOptions {
  readonly store: Store
  readonly record: RecordChange
  /** The chain that a run's posts continue; null = they start their own. */
  readonly chainOf?: (runId: string) => PostChain | null
  /** The team's leader, which can be addressed like a member. */
  readonly leaderOf?: (teamId: string) => Promise<string | null>
  readonly now?: () => number
}

/**
 * The posts of all rooms. The credential alone decides the author, the team and the kind of a post, never its text.
 * Throws `request_invalid`, `team_not_found`, and `agent_not_found` when an addressee is not in the team.
 */
export function createRoomPosts(options: RoomPostsOptions) {
  const { store, record, chainOf, leaderOf, now = Date.now } = options
  const queue = createPostQueue(record)
  const addressed = async (teamId: string, to: readonly string[]) =>
    to.length === 0 ? [] : findAddressed(store, teamId, to, (await leaderOf?.(teamId)) ?? null)
  const post = (undated: Omit<PostDraft, 'at'>) => {
    const draft = { ...undated, at: now() }
    return draft.turnKey ? postOnce(record, draft) : queue.add(draft)
  }
  return {
    /** A turn key makes the post unique: a repeated call returns the first post. */
    async byRun(
      { teamId, agentId, runId, taskId, credential }: SpeakingRun,
      { body, to = [], turnKey }: NewPost & { readonly turnKey?: string },
    ) {
      return post({
        teamId,
        author: { kind: 'agent', id: agentId },
        body: credential === 'mediated' ? cutBody(body) : checkBody(body),
        to: await addressed(teamId, to),
        chain: chainOf?.(runId) ?? null,
        runId,
        taskId,
        credential,
        turnKey: turnKey ?? null,
      })
    },
    /** Also throws `agent_not_found` when the person is not in the team. */
    async byPerson(by: SpeakingPerson, teamId: string, { body, to = [] }: NewPost) {
      const author = await personAuthor(store, teamId, by)
      const checked = checkBody(body)
      return post({ teamId, author, body: checked, to: await addressed(teamId, to), credential: 'operator' })
    },
    byServer: async (
      teamId: string,
      { body, taskId = null }: { readonly body: string; readonly taskId?: string | null },
    ) => post({ teamId, author: { kind: 'system' }, body: cutBody(body), taskId, credential: 'server' }),
    /** The number of the last post of every room with posts. */
    heads: () => store.rooms.heads(),
    after: (roomId: string, request: FollowRequest) => readAfter(store, roomId, request),
    /** `seq: null` = the newest. */
    before: (roomId: string, request: { readonly seq: number | null; readonly limit: number }) =>
      readBefore(store, roomId, request),
  }
}

function postOnce(record: RecordChange, draft: PostDraft): Promise<StoredPost> {
  return record({ action: null, lock: roomLock(draft.teamId) }, async (tx) => {
    const { post, isNew } = await appendPost(tx, draft)
    return { result: post, events: isNew ? [postedEvent(post)] : [] }
  })
}

const MOST_AT_ONCE = 50

interface WaitingPost {
  readonly draft: PostDraft
  readonly stored: PromiseWithResolvers<StoredPost>
}

/** Commits waiting posts of one room together, because they would wait for each other anyway. */
function createPostQueue(record: RecordChange) {
  /** The waiting posts of each team with an active writer. */
  const queues = new Map<string, WaitingPost[]>()
  const store = (drafts: readonly PostDraft[]) =>
    record({ action: null }, async (tx) => {
      const posts = await appendPosts(tx, drafts[0]!.teamId, drafts)
      return { result: posts, events: posts.map(postedEvent) }
    })
  const storeBatch = async (batch: readonly WaitingPost[]) => {
    try {
      const posts = await store(batch.map(({ draft }) => draft))
      for (const [n, { stored }] of batch.entries()) stored.resolve(posts[n]!)
    } catch (error) {
      // If one post fails, store the others separately, unless the store is unavailable for all of them.
      if (batch.length > 1 && !isStoreAway(error)) for (const post of batch) await storeBatch([post])
      else for (const { stored } of batch) stored.reject(error)
    }
  }
  const work = async (teamId: string, waiting: WaitingPost[]) => {
    while (waiting.length > 0) {
      // Authors whose post was just committed can add their next post now.
      await nextTick()
      await storeBatch(waiting.splice(0, MOST_AT_ONCE))
    }
    queues.delete(teamId)
  }
  return {
    add(draft: PostDraft) {
      const post = { draft, stored: Promise.withResolvers<StoredPost>() }
      const waiting = queues.get(draft.teamId)
      if (waiting) waiting.push(post)
      else {
        const queue = [post]
        queues.set(draft.teamId, queue)
        void work(draft.teamId, queue)
      }
      return post.stored.promise
    },
  }
}

function isStoreAway(error: unknown): boolean {
  return error instanceof ClawbooError && error.code === 'store_unavailable'
}

interface PostPage {
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

interface FollowRequest {
  readonly seq: number
  /** The number of posts to read. The page has fewer when some are by `exceptAuthor`. */
  readonly limit: number
  /** Leaves out the posts of this agent, which already has its own posts. */
  readonly exceptAuthor?: string | null
}

type Readable = Pick<Repositories, 'rooms' | 'posts' | 'teams'>

/**
 * Reads the posts after a number. The cursor moves to the last post that was read, never to the head, which may have
 * moved in the meantime: no post is skipped. Throws `room_not_found`.
 */
async function readAfter(repositories: Readable, roomId: string, request: FollowRequest): Promise<FollowingPage> {
  const head = await headOf(repositories, roomId)
  // A cursor from an earlier room with the same id must not wait for numbers that this room reaches much later.
  const start = Math.min(request.seq, head)
  const rows = await repositories.posts.after(roomId, start, request.limit)
  const next = rows.at(-1)?.seq ?? start
  const { exceptAuthor = null } = request
  const posts = exceptAuthor === null ? rows : rows.filter(({ author }) => !isAgent(author, exceptAuthor))
  return { posts, next, head: Math.max(head, next), hasMore: next < head }
}

/** Reads the newest posts before a number, or the newest of all. Throws `room_not_found`. */
async function readBefore(
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
