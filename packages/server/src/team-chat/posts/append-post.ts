import { type LiveEvent, POST_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { type PostAuthor, postKind, type RoomId, roomIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { sortableId } from '../../store/sortable-id.ts'
import { storableText } from '../../store/storable-text.ts'

export const POST_CHARACTERS = 32_000

/** A post without its number. Its body and its addressees have been checked. */
export interface PostDraft {
  readonly teamId: string
  readonly author: PostAuthor
  readonly body: string
  readonly to?: readonly string[]
  /** The chain that the post continues. Without it the post starts a chain, unless the server is the author. */
  readonly chain?: PostChain | null
  readonly runId?: string | null
  readonly taskId?: string | null
  readonly credential: string
  /** A turn key is unique: only the first post with it is stored. */
  readonly turnKey?: string | null
  readonly at: number
}

export interface PostChain {
  readonly id: string
  readonly hops: number
}

export interface AppendedPost {
  readonly post: StoredPost
  /** False = the post with this turn key was stored before. */
  readonly isNew: boolean
}

/** The lock for a draft with a turn key: without it, two writers could both miss each other's post. */
export function roomLock(teamId: string): string {
  return `room:${teamId}`
}

/**
 * Numbers and stores a post in the caller's transaction; other posts to the room wait until it ends. Creates the room
 * when the team has none. Throws `team_not_found`.
 */
export async function appendPost(tx: Repositories, draft: PostDraft): Promise<AppendedPost> {
  const earlier = draft.turnKey ? await tx.posts.ofTurn(draft.turnKey) : null
  if (earlier) return { post: earlier, isNew: false }
  const [post] = await appendPosts(tx, draft.teamId, [draft])
  return { post: post!, isNew: true }
}

/** Appends several posts of one team in the same way, in order. The drafts must not have turn keys. */
export async function appendPosts(
  tx: Repositories,
  teamId: string,
  drafts: readonly PostDraft[],
): Promise<StoredPost[]> {
  const roomId = roomIdOf(teamId)
  const last =
    (await tx.rooms.nextSeq(roomId, drafts.length)) ?? (await createRoom(tx, teamId, drafts.length, drafts[0]!.at))
  const posts = drafts.map((draft, n) => numberPost(draft, roomId, last - drafts.length + 1 + n))
  for (const post of posts) await tx.posts.insert(post)
  return posts
}

function numberPost(draft: PostDraft, roomId: RoomId, seq: number): StoredPost {
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

async function createRoom(tx: Repositories, teamId: string, count: number, at: number): Promise<number> {
  const room = await tx.rooms.ensure({ id: roomIdOf(teamId), teamId, at })
  const last = room && (await tx.rooms.nextSeq(room.id, count))
  if (last === null) throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
  return last
}

/** Returns the event that announces a new post. */
export function postedEvent({ turnKey: _, ...post }: StoredPost): LiveEvent {
  return { type: 'team-chat-posted', post: { ...post, body: storableText(post.body, POST_EVENT_CHARACTERS) } }
}

/** Returns the body with broken characters and NUL replaced. Throws `request_invalid` when it is blank or too long. */
export function checkBody(body: string): string {
  if (body.trim() === '') throw bodyInvalid('The post is empty.')
  if (body.length > POST_CHARACTERS)
    throw bodyInvalid(`The post has ${body.length} characters. The limit is ${POST_CHARACTERS}.`)
  return storableText(body, POST_CHARACTERS)
}

/** Cuts a long body instead of refusing it, for text whose author cannot shorten it. Throws when it is blank. */
export function cutBody(body: string): string {
  return checkBody(storableText(body, POST_CHARACTERS))
}

function bodyInvalid(message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'body', message }] } })
}
