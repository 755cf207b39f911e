import { type LiveEvent, POST_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { type PostAuthor, postKind, type RoomId, roomIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import { storableText } from '../store/storable-text.ts'

/** A post before it has its place. Its body and whom it is addressed to have been looked at. */
export interface PostDraft {
  readonly teamId: string
  readonly author: PostAuthor
  readonly body: string
  readonly to?: readonly string[]
  /** The chain it goes on with; it begins one of its own when absent, unless the server speaks. */
  readonly chain?: PostChain | null
  readonly runId?: string | null
  readonly taskId?: string | null
  readonly credential: string
  readonly turnKey?: string | null
  readonly at: number
}

export interface PostChain {
  readonly id: string
  readonly hops: number
}

export interface AppendedPost {
  readonly post: StoredPost
  /** False = this turn's post was there before. */
  readonly isNew: boolean
}

/** Two of one turn must not look for each other at once: a draft with a turn key is appended while holding this. */
export function roomLock(teamId: string): string {
  return `room:${teamId}`
}

/**
 * Numbers and writes a post in the caller's transaction; nobody else posts to the room until that ends. The room is made
 * when the team has none yet. Throws `team_not_found`.
 */
export async function appendPost(tx: Repositories, draft: PostDraft): Promise<AppendedPost> {
  const before = draft.turnKey ? await tx.posts.ofTurn(draft.turnKey) : null
  if (before) return { post: before, isNew: false }
  const [post] = await appendPosts(tx, draft.teamId, [draft])
  return { post: post!, isNew: true }
}

/** The same for several of one team at once, in order. They are no turn's own. */
export async function appendPosts(
  tx: Repositories,
  teamId: string,
  drafts: readonly PostDraft[],
): Promise<StoredPost[]> {
  const roomId = roomIdOf(teamId)
  const last =
    (await tx.rooms.nextSeq(roomId, drafts.length)) ?? (await openRoom(tx, teamId, drafts.length, drafts[0]!.at))
  const posts = drafts.map((draft, n) => numbered(draft, roomId, last - drafts.length + 1 + n))
  for (const post of posts) await tx.posts.insert(post)
  return posts
}

function numbered(draft: PostDraft, roomId: RoomId, seq: number): StoredPost {
  const { teamId, author, body, credential, at } = draft
  const id = sortableId(at)
  const chain = draft.chain ?? (author.kind === 'system' ? null : { id, hops: 0 })
  return {
    roomId,
    teamId,
    seq,
    id,
    author,
    kind: postKind(author),
    body,
    to: draft.to ?? [],
    chainId: chain?.id ?? null,
    hops: chain?.hops ?? 0,
    runId: draft.runId ?? null,
    taskId: draft.taskId ?? null,
    credential,
    turnKey: draft.turnKey ?? null,
    createdAt: at,
  }
}

/** What tells everyone of it. */
export function posted({ turnKey: _, ...post }: StoredPost): LiveEvent {
  return { type: 'team-chat-posted', post: { ...post, body: storableText(post.body, POST_EVENT_CHARACTERS) } }
}

async function openRoom(tx: Repositories, teamId: string, count: number, at: number): Promise<number> {
  const room = await tx.rooms.ensure({ id: roomIdOf(teamId), teamId, at })
  const last = room && (await tx.rooms.nextSeq(room.id, count))
  if (last === null) throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
  return last
}
