import type { OperationOutput } from '@clawboo/api/client'
import { type ExchangeView, type LiveEvent, POST_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import type { TeamChatPost } from '@clawboo/core/team-chat'

export type RoomPost = TeamChatPost & { readonly credential: string }
export type RoomPage = OperationOutput<'readRoom'>

/** The loaded part of a team's room. */
export interface Room {
  /** Consecutive posts without a gap, oldest first. They need not reach the head. */
  readonly posts: readonly RoomPost[]
  /** The number of the room's last post. */
  readonly head: number
  /** Running and waiting exchanges, in order. */
  readonly exchanges: readonly ExchangeView[]
  /** The last exchange seen to end, until another one starts. */
  readonly ended: ExchangeView | null
  /** Whether the loaded part ends at the newest post and grows with the room. */
  readonly follows: boolean
}

/** The most posts to keep. Scrolling on drops the far end, which is fetched again on the way back. */
export const MOST_KEPT = 1_500

/** A room after these events. Repeated and older events change nothing. */
export function applyToRoom(room: Room, events: readonly LiveEvent[], teamId: string): Room {
  let next = room
  for (const event of events) {
    if (event.type === 'team-chat-posted' && event.post.teamId === teamId) next = withPosted(next, event.post)
    if (event.type === 'exchange-changed' && event.exchange.teamId === teamId) next = withExchange(next, event.exchange)
    if (event.type === 'speaker-selected' && event.teamId === teamId) next = withSpeaker(next, event)
  }
  return next
}

/** The number of the last loaded post. */
export function endOf(room: Room): number {
  return room.posts.at(-1)?.seq ?? 0
}

/** Whether newer posts exist that should be loaded. */
export function isBehind(room: Room): boolean {
  return room.follows && endOf(room) < room.head
}

export function toRoom(page: RoomPage): Room {
  const room = { posts: page.posts, head: page.head, exchanges: page.exchanges, ended: null }
  return { ...room, follows: endOf({ ...room, follows: true }) === page.head }
}

/** Appends newer posts. Posts that leave a gap are dropped. */
export function withNewer(room: Room, page: Pick<RoomPage, 'posts' | 'head'>): Room {
  const end = endOf(room)
  const added = page.posts.filter(({ seq }) => seq > end)
  const head = Math.max(room.head, page.head)
  if (added.length === 0 || added[0]!.seq !== end + 1) return head === room.head ? room : { ...room, head }
  const posts = [...room.posts, ...added].slice(-MOST_KEPT)
  return { ...room, posts, head, follows: room.follows || posts.at(-1)!.seq >= head }
}

/** Prepends older posts. Posts that leave a gap are dropped. */
export function withOlder(room: Room, page: Pick<RoomPage, 'posts'>): Room {
  const first = room.posts[0]
  if (!first || page.posts.at(-1)?.seq !== first.seq - 1) return room
  const posts = [...page.posts, ...room.posts].slice(0, MOST_KEPT)
  return { ...room, posts, follows: room.follows && posts.length === page.posts.length + room.posts.length }
}

/** Whether the body may be incomplete, because the feed shortens long ones. */
function isCut({ body }: RoomPost): boolean {
  return body.length >= POST_EVENT_CHARACTERS - 1 && body.endsWith('…')
}

/** A post that is not the next one, or was shortened, only updates the head; the post itself is fetched. */
function withPosted(room: Room, post: RoomPost): Room {
  if (post.seq <= room.head) return room
  const isNext = room.follows && post.seq === endOf(room) + 1
  return isNext && !isCut(post) ? withNewer(room, { posts: [post], head: post.seq }) : { ...room, head: post.seq }
}

function withExchange(room: Room, exchange: ExchangeView): Room {
  const others = room.exchanges.filter(({ id }) => id !== exchange.id)
  if (exchange.status === 'ended') {
    // An exchange that was withdrawn while it waited has no end to show.
    const isShown = exchange.startedAt !== null && exchange.ordinal >= (room.ended?.ordinal ?? 0)
    return { ...room, exchanges: others, ended: isShown ? exchange : room.ended }
  }
  const exchanges = [...others, exchange].sort((one, other) => one.ordinal - other.ordinal)
  const begins = exchange.status === 'running' && room.ended !== null && exchange.ordinal > room.ended.ordinal
  return { ...room, exchanges, ended: begins ? null : room.ended }
}

function withSpeaker(room: Room, event: LiveEvent & { readonly type: 'speaker-selected' }): Room {
  const { exchangeId, agentId, runId, turn, because, chainId, bound } = event
  const speaker = { agentId, runId, turn, because, chainId }
  const exchanges = room.exchanges.map((exchange) =>
    exchange.id === exchangeId ? { ...exchange, speaker, bound } : exchange,
  )
  return { ...room, exchanges }
}
