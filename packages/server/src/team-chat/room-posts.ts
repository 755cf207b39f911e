import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { appendPost, type PostChain, type PostDraft, posted, roomLock } from './append-post.ts'
import { findAddressed } from './find-addressed.ts'
import { personAuthor, type SpeakingPerson } from './person-author.ts'
import { checkBody, cutBody } from './post-body.ts'
import { createPostQueue } from './post-queue.ts'
import { type FollowingPage, type FollowWish, type PostPage, readAfter, readBefore } from './read-room.ts'

/** A run that speaks, as its credential binds it. */
export interface SpeakingRun {
  readonly teamId: string
  readonly agentId: string
  readonly runId: string
  readonly taskId: string | null
  /** See `StoredPost`. What is `mediated` is cut where it is too long; everybody else is told. */
  readonly credential: string
}

export interface NewPost {
  readonly body: string
  /** Members of the team, by id or name. */
  readonly to?: readonly string[]
}

/**
 * What is said in the rooms of teams. Author, team and kind follow from who speaks and from nothing that is said. Throws
 * `request_invalid`, `agent_not_found` for who is addressed and not in the team, `team_not_found`.
 */
export interface RoomPosts {
  /** With a turn key it is posted once; repeated, it is the post of the first time. */
  byRun(by: SpeakingRun, post: NewPost & { readonly turnKey?: string }): Promise<StoredPost>
  /** Also throws `agent_not_found` for a person who is not in the team. */
  byPerson(by: SpeakingPerson, teamId: string, post: NewPost): Promise<StoredPost>
  byServer(teamId: string, post: { readonly body: string; readonly taskId?: string | null }): Promise<StoredPost>
  after(roomId: string, wish: FollowWish): Promise<FollowingPage>
  /** How far every room has come in which something was said. */
  heads(): ReturnType<Store['rooms']['heads']>
  /** `seq: null` = the newest. */
  before(roomId: string, wish: { readonly seq: number | null; readonly limit: number }): Promise<PostPage>
}

export interface RoomPostsDependencies {
  readonly store: Store
  readonly record: RecordChange
  /** The chain that a run's posts go on with; null = they begin their own. */
  readonly chainOf?: (runId: string) => PostChain | null
  /** Who leads a team, wherever it comes from: it is addressed as a member is. */
  readonly leaderOf?: (teamId: string) => Promise<string | null>
  readonly now?: () => number
}

export function createRoomPosts(parts: RoomPostsDependencies): RoomPosts {
  const { store, record, chainOf, leaderOf, now = Date.now } = parts
  const queue = createPostQueue(record)
  const addressed = async (teamId: string, to: readonly string[]) =>
    to.length === 0 ? [] : findAddressed(store, teamId, to, (await leaderOf?.(teamId)) ?? null)
  const post = (given: Omit<PostDraft, 'at'>) => {
    const draft = { ...given, at: now() }
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
        ...{ runId, taskId, credential },
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
    after: (roomId, wish) => readAfter(store, roomId, wish),
    before: (roomId, wish) => readBefore(store, roomId, wish),
  }
}

function postOnce(record: RecordChange, draft: PostDraft): Promise<StoredPost> {
  return record({ action: null, lock: roomLock(draft.teamId) }, async (tx) => {
    const { post, isNew } = await appendPost(tx, draft)
    return { result: post, events: isNew ? [posted(post)] : [] }
  })
}
