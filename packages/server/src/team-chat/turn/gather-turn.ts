import type { AgentRecord } from '@clawboo/core/registry'
import { type SpeakStep, wrapPost } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import type { OpenExchange } from '../exchange/exchange-record.ts'
import type { ExchangeServices } from '../exchange/exchange-services.ts'
import { readMembers } from '../posts/room-members.ts'
import type { RoomBrief } from './room-prompt.ts'

export interface GatheredTurn {
  readonly brief: Omit<RoomBrief, 'tools' | 'passToken'>
  /** The room's last post at the time of reading. The prompt includes nothing after it. */
  readonly toSeq: number
}

const MOST_POSTS = 200
const EVIDENCE_CHARACTERS = 24_000
const MOST_MESSAGES = 20
const MESSAGES_CHARACTERS = 64_000
const MOST_MEMBERS = 100

/** Reads everything that the prompt of a turn needs. */
export async function gatherTurn(
  services: ExchangeServices,
  { row, teamId, stored }: OpenExchange,
  step: SpeakStep,
): Promise<GatheredTurn> {
  const { store } = services
  const { agentId, turn, bound, obligations } = step
  const { roomId } = row
  const { teamName, members, participants } = await readMembers(services, teamId)
  const member = await store.roomMembers.get(roomId, agentId)
  const toSeq = (await store.rooms.get(roomId))?.headSeq ?? 0
  const messages = await readMessages(store, stored)
  const news = await readNews(store, { roomId, agentId, after: member?.cursorSeq ?? 0, toSeq }, messages)
  const nameOf = (id: string) => members.find((one) => one.id === id)?.displayName ?? 'The operator'
  return {
    toSeq,
    brief: {
      teamName,
      agentId,
      turn,
      bound,
      members: members.slice(0, MOST_MEMBERS).map((one) => memberLine(one, participants)),
      because: obligations.map(({ because }) => because),
      messages: messages.map(({ author, body }) => ({ from: author.kind === 'person' ? nameOf(author.id) : '', body })),
      posts: news.posts,
      leftOut: news.leftOut,
      summary: member?.summary ?? null,
    },
  }
}

/** The newest messages that people sent in this exchange. A message's chain has the message's id. */
async function readMessages(store: Repositories, { exchange }: OpenExchange['stored']): Promise<readonly StoredPost[]> {
  const ids = exchange.chains.filter(({ begunBy }) => begunBy === 'message').map(({ id }) => id)
  const posts = await Promise.all(ids.slice(-MOST_MESSAGES).map((id) => store.posts.get(id)))
  return newestFitting(
    posts.filter((post): post is StoredPost => post?.author.kind === 'person'),
    MESSAGES_CHARACTERS,
  )
}

/** The last posts that fit. The last one is always included: a long post must not leave nothing to read. */
function newestFitting(posts: readonly StoredPost[], most: number): StoredPost[] {
  let left = most
  const lastLeftOut = posts.findLastIndex((post, at) => {
    left -= wrapPost(post).length
    return left < 0 && at < posts.length - 1
  })
  return posts.slice(lastLeftOut + 1)
}

/** The newest posts of others since the agent's cursor. */
async function readNews(
  store: Repositories,
  { roomId, agentId, after, toSeq }: { roomId: string; agentId: string; after: number; toSeq: number },
  messages: readonly StoredPost[],
): Promise<Pick<RoomBrief, 'posts' | 'leftOut'>> {
  const page = await store.posts.before(roomId, toSeq + 1, MOST_POSTS)
  const isNews = ({ seq, author, id }: StoredPost) =>
    seq > after && !(author.kind === 'agent' && author.id === agentId) && !messages.some((message) => message.id === id)
  const news = page.filter(isNews)
  // Posts before the page are counted unread, so a few of them may be the agent's own.
  const beforePage = Math.max(0, (page[0]?.seq ?? 1) - 1 - after)
  const posts = newestFitting(news, EVIDENCE_CHARACTERS)
  return { posts, leftOut: beforePage + news.length - posts.length }
}

function memberLine(
  { id, displayName, participantKind }: AgentRecord,
  participants: readonly { readonly agentId: string; readonly isLeader: boolean }[],
): RoomBrief['members'][number] {
  const isLeader = participants.some((one) => one.agentId === id && one.isLeader)
  return { id, name: displayName, isPerson: participantKind !== 'agent', isLeader }
}
