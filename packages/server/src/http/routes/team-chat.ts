import type { ServerResponse } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { Exchanges } from '../../team-chat/exchange/exchanges.ts'
import type { SentMessage } from '../../team-chat/exchange/say-to-room.ts'
import type { RoomPosts } from '../../team-chat/posts/room-posts.ts'
import type { Handlers } from '../app.ts'

const POSTS_PER_PAGE = 50

type Read = Pick<RoomPosts, 'after' | 'before' | 'byPerson' | 'heads'>

/** These routes require the operator's credential; the operator speaks for the people of the team. */
export function teamChatRoutes({ rooms, exchanges }: { rooms: Read; exchanges: Exchanges }) {
  return {
    async readRoom({ query: { teamId, sinceSeq, before, limit = POSTS_PER_PAGE } }) {
      if (sinceSeq !== undefined && before !== undefined)
        throw new ClawbooError(
          'request_invalid',
          'read a room either forward with `sinceSeq` or backward with `before`, not both',
        )
      const roomId = roomIdOf(teamId)
      const page = sinceSeq === undefined ? null : await rooms.after(roomId, { seq: sinceSeq, limit })
      const { posts, head, hasMore } = page ?? (await rooms.before(roomId, { seq: before ?? null, limit }))
      const next = page?.next ?? posts.at(-1)?.seq ?? 0
      return { posts: posts.map(shown), head, next, hasMore, exchanges: [...(await exchanges.open(teamId))] }
    },
    listRooms: async () => ({ rooms: [...(await rooms.heads())] }),
    async startExchange({ body: { teamId, as, wait, ...message }, outgoing }) {
      const sent = await exchanges.say(teamId, speaker(as), message)
      const exchange = wait ? await waitForEnd(exchanges, teamId, sent, outgoing) : sent.exchange
      return { ...sent, exchange, post: shown(sent.post), dropped: [...sent.dropped] }
    },
    getExchange: ({ params }) => exchanges.get(params.exchangeId),
    postToRoom: async ({ body: { teamId, as, ...post } }) => shown(await rooms.byPerson(speaker(as), teamId, post)),
    async previewRoom({ body: { teamId, ...message } }) {
      const { wakes, dropped, ...rest } = await exchanges.preview(teamId, message)
      return { ...rest, wakes: [...wakes], dropped: [...dropped] }
    },
    stopRoom: ({ body: { teamId, ...target } }) => exchanges.stop(teamId, target),
    getRoomSettings: ({ query }) => exchanges.settings(query.teamId),
    changeRoomSettings: ({ body: { teamId, ...settings } }) => exchanges.configure(teamId, settings),
  } satisfies Partial<Handlers>
}

/** A client that disconnects stops the exchange, or the chain of its message in an exchange that it joined. */
async function waitForEnd(exchanges: Exchanges, teamId: string, sent: SentMessage, outgoing: ServerResponse) {
  const gone = new AbortController()
  const hungUp = () => gone.abort()
  outgoing.once('close', hungUp)
  if (outgoing.destroyed) hungUp()
  const exchangeId = sent.exchange.id
  try {
    return await exchanges.whenEnded(exchangeId, gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
    const target = sent.joined ? { exchangeId, chainId: sent.post.id } : { exchangeId }
    // The exchange may have just ended.
    return await exchanges.stop(teamId, target).catch(() => exchanges.get(exchangeId))
  } finally {
    outgoing.off('close', hungUp)
  }
}

function speaker(as: string | undefined) {
  return as === undefined ? ({ kind: 'operator' } as const) : ({ kind: 'person', id: as } as const)
}

function shown<T extends { readonly turnKey: unknown }>({ turnKey: _, ...post }: T): Omit<T, 'turnKey'> {
  return post
}
