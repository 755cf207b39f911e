import type { AgentRecord } from '@clawboo/core/registry'
import { type SpeakStep, wrapPost } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import type { DriverParts } from './exchange-parts.ts'
import type { OpenExchange } from './kept-exchange.ts'
import { readMembers } from './participants.ts'
import type { RoomBrief } from './room-prompt.ts'

export interface GatheredTurn {
  readonly brief: Omit<RoomBrief, 'tools' | 'passToken'>
  /** The room's last post when it was read: so far the prompt speaks of it. */
  readonly toSeq: number
}

const MOST_POSTS = 200
const EVIDENCE_CHARACTERS = 24_000
const MOST_MESSAGES = 20
const MESSAGES_CHARACTERS = 64_000
const MOST_MEMBERS = 100

/** Reads all that a turn begins with. */
export async function gatherTurn(
  parts: DriverParts,
  { row, teamId, kept }: OpenExchange,
  step: SpeakStep,
): Promise<GatheredTurn> {
  const { store } = parts
  const { agentId, turn, bound, obligations } = step
  const members = await readMembers(parts, teamId)
  const state = await store.roomMembers.get(row.roomId, agentId)
  const toSeq = (await store.rooms.get(row.roomId))?.headSeq ?? 0
  const messages = await messagesOf(store, kept)
  const news = await newsOf(store, { roomId: row.roomId, agentId, after: state?.cursorSeq ?? 0, toSeq }, messages)
  const nameOf = (id: string) => members.members.find((member) => member.id === id)?.displayName ?? 'The operator'
  return {
    toSeq,
    brief: {
      teamName: members.teamName,
      ...{ agentId, turn, bound },
      members: members.members.slice(0, MOST_MEMBERS).map((member) => memberLine(member, members.participants)),
      because: obligations.map(({ because }) => because),
      messages: messages.map(({ author, body }) => ({ from: author.kind === 'person' ? nameOf(author.id) : '', body })),
      ...news,
      summary: state?.summary ?? null,
    },
  }
}

/** What people said in this exchange, the newest that fit. A chain that a message began has its id. */
async function messagesOf(store: Repositories, { exchange }: OpenExchange['kept']): Promise<readonly StoredPost[]> {
  const ids = exchange.chains.filter(({ begunBy }) => begunBy === 'message').map(({ id }) => id)
  const posts = await Promise.all(ids.slice(-MOST_MESSAGES).map((id) => store.posts.get(id)))
  return newestFitting(
    posts.filter((post): post is StoredPost => post?.author.kind === 'person'),
    MESSAGES_CHARACTERS,
  )
}

/** At least one: a long post must not hide everything. */
function newestFitting(posts: readonly StoredPost[], most: number): StoredPost[] {
  let left = most
  const older = posts.findLastIndex((post, at) => {
    left -= wrapPost(post).length
    return left < 0 && at < posts.length - 1
  })
  return posts.slice(older + 1)
}

/** The newest posts of others that fit. */
async function newsOf(
  store: Repositories,
  { roomId, agentId, after, toSeq }: { roomId: string; agentId: string; after: number; toSeq: number },
  messages: readonly StoredPost[],
): Promise<Pick<RoomBrief, 'posts' | 'leftOut'>> {
  const page = await store.posts.before(roomId, toSeq + 1, MOST_POSTS)
  const isNews = ({ seq, author, id }: StoredPost) =>
    seq > after && !(author.kind === 'agent' && author.id === agentId) && !messages.some((message) => message.id === id)
  const news = page.filter(isNews)
  // Those before the page are not looked at, so some of them may be its own.
  const before = Math.max(0, (page[0]?.seq ?? 1) - 1 - after)
  const posts = newestFitting(news, EVIDENCE_CHARACTERS)
  return { posts, leftOut: before + news.length - posts.length }
}

function memberLine(
  { id, displayName, participantKind }: AgentRecord,
  participants: readonly { readonly agentId: string; readonly isLeader: boolean }[],
): RoomBrief['members'][number] {
  const isLeader = participants.some((one) => one.agentId === id && one.isLeader)
  return { id, name: displayName, isPerson: participantKind !== 'agent', isLeader }
}
