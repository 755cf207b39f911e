import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { appendPost, checkBody, cutBody, type PostChain, type PostDraft, postedEvent, roomLock } from './append-post.ts'
import { createPostQueue } from './post-queue.ts'
import { type FollowingPage, type FollowRequest, type PostPage, readAfter, readBefore } from './read-room.ts'
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

export interface NewPost {
  readonly body: string
  /** Members of the team, by id or name. */
  readonly to?: readonly string[]
}

/**
 * The posts of all rooms. The credential alone decides the author, the team and the kind of a post, never its text.
 * Throws `request_invalid`, `team_not_found`, and `agent_not_found` when an addressee is not in the team.
 */
export interface RoomPosts {
  /** A turn key makes the post unique: a repeated call returns the first post. */
  byRun(by: SpeakingRun, post: NewPost & { readonly turnKey?: string }): Promise<StoredPost>
  /** Also throws `agent_not_found` when the person is not in the team. */
  byPerson(by: SpeakingPerson, teamId: string, post: NewPost): Promise<StoredPost>
  byServer(teamId: string, post: { readonly body: string; readonly taskId?: string | null }): Promise<StoredPost>
  after(roomId: string, request: FollowRequest): Promise<FollowingPage>
  /** The last number of every room with posts. */
  heads(): ReturnType<Store['rooms']['heads']>
  /** `seq: null` = the newest. */
  before(roomId: string, request: { readonly seq: number | null; readonly limit: number }): Promise<PostPage>
}

export interface RoomPostsOptions {
  readonly store: Store
  readonly record: RecordChange
  /** The chain that a run's posts continue; null = they start their own. */
  readonly chainOf?: (runId: string) => PostChain | null
  /** The team's leader, which can be addressed like a member. */
  readonly leaderOf?: (teamId: string) => Promise<string | null>
  readonly now?: () => number
}

export function createRoomPosts(options: RoomPostsOptions): RoomPosts {
  const { store, record, chainOf, leaderOf, now = Date.now } = options
  const queue = createPostQueue(record)
  const addressed = async (teamId: string, to: readonly string[]) =>
    to.length === 0 ? [] : findAddressed(store, teamId, to, (await leaderOf?.(teamId)) ?? null)
  const post = (undated: Omit<PostDraft, 'at'>) => {
    const draft = { ...undated, at: now() }
    return draft.turnKey ? postOnce(record, draft) : queue.add(draft)
  }
  return {
    async byRun({ teamId, agentId, runId, taskId, credential }, { body, to = [], turnKey }) {
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
    async byPerson(by, teamId, { body, to = [] }) {
      const author = await personAuthor(store, teamId, by)
      const checked = checkBody(body)
      return post({ teamId, author, body: checked, to: await addressed(teamId, to), credential: 'operator' })
    },
    byServer: async (teamId, { body, taskId = null }) =>
      post({ teamId, author: { kind: 'system' }, body: cutBody(body), taskId, credential: 'server' }),
    heads: () => store.rooms.heads(),
    after: (roomId, request) => readAfter(store, roomId, request),
    before: (roomId, request) => readBefore(store, roomId, request),
  }
}

function postOnce(record: RecordChange, draft: PostDraft): Promise<StoredPost> {
  return record({ action: null, lock: roomLock(draft.teamId) }, async (tx) => {
    const { post, isNew } = await appendPost(tx, draft)
    return { result: post, events: isNew ? [postedEvent(post)] : [] }
  })
}
