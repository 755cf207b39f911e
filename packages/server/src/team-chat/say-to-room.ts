import type { ExchangeView, LiveEvent } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { applyExchangeEvent, type DroppedWake, nextStep, roomIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { appendPost, posted, roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged, exchangeView, policyOf } from './exchange-view.ts'
import { findAddressed } from './find-addressed.ts'
import { type OpenExchange, openOf, saveKept } from './kept-exchange.ts'
import { type RoomMembers, readMembers } from './participants.ts'
import { personAuthor, type SpeakingPerson } from './person-author.ts'
import { checkBody } from './post-body.ts'
import { queueExchange } from './queue-exchange.ts'

export interface RoomMessage {
  readonly body: string
  /** Members of the team, by id or name. */
  readonly to?: readonly string[]
  /** Those who are not to run because of it. */
  readonly skip?: readonly string[]
  /** `steer`: it joins what is under way; `queue`: it begins an exchange of its own, behind the others. */
  readonly mode?: 'queue' | 'steer'
}

export interface SentMessage {
  readonly post: StoredPost
  readonly exchange: ExchangeView
  /** It joined an exchange that was under way. */
  readonly joined: boolean
  /** Who was picked and is not woken, and why. */
  readonly dropped: readonly DroppedWake[]
}

/** How many exchanges of a room may wait. */
const MOST_WAITING = 20

/**
 * A person says something to a room: the post and what follows from it are one. Throws `team_not_found`,
 * `agent_not_found` for who is addressed or speaks and is not in the team, `request_invalid`, `queue_full`.
 */
export async function sayToRoom(
  parts: DriverParts,
  teamId: string,
  by: SpeakingPerson,
  message: RoomMessage,
): Promise<SentMessage> {
  const { store, now } = parts
  const members = await readMembers(parts, teamId)
  const author = await personAuthor(store, teamId, by)
  const body = checkBody(message.body)
  const to = await findAddressed(store, teamId, message.to ?? [], members.leaderId)
  const skip = await findAddressed(store, teamId, message.skip ?? [], members.leaderId)
  const at = now()
  const about = { action: 'team-chat.say', subject: teamId, lock: roomLock(teamId) }
  return parts.record<SentMessage>(about, async (tx) => {
    const { post } = await appendPost(tx, { teamId, author, body, to, credential: 'operator', at })
    const event = { type: 'message', postId: post.id, chainId: post.id, mentions: to, skip } as const
    const running = message.mode === 'steer' ? await joinable(tx, teamId) : null
    const { joined, ...made } = running
      ? { ...(await join(tx, running, event, at)), joined: true }
      : { ...(await begin(tx, members, { teamId, post, event, at })), joined: false }
    return {
      result: {
        post,
        exchange: exchangeView(made.open, await tx.rooms.get(roomIdOf(teamId))),
        joined,
        dropped: made.dropped,
      },
      events: [posted(post), made.event],
      detail: { as: by.kind === 'person' ? by.id : null, postId: post.id, exchangeId: made.open.row.id, joined, to },
    }
  })
}

type Message = Parameters<typeof applyExchangeEvent>[1] & { readonly type: 'message' }

interface Made {
  readonly open: OpenExchange
  readonly dropped: readonly DroppedWake[]
  readonly event: LiveEvent
}

/** What is under way and not about to end. What ends just now would not come to the message. */
async function joinable(tx: Repositories, teamId: string): Promise<OpenExchange | null> {
  const roomId = roomIdOf(teamId)
  const rows = (await tx.exchanges.open(roomId)).filter(({ status }) => status === 'running')
  const open = rows[0] ? openOf(rows[0]) : null
  if (!open) return null
  const step = nextStep(open.kept.exchange, policyOf(await tx.rooms.get(roomId)))
  return step.step === 'speak' || open.kept.turn ? open : null
}

async function join(tx: Repositories, running: OpenExchange, message: Message, at: number): Promise<Made> {
  const { state, dropped } = applyExchangeEvent(running.kept.exchange, message)
  const open = { ...running, kept: { ...running.kept, exchange: state } }
  await saveKept(tx, open, at)
  return { open, dropped, event: exchangeChanged(open, await tx.rooms.get(open.row.roomId)) }
}

async function begin(
  tx: Repositories,
  { participants }: RoomMembers,
  given: { readonly teamId: string; readonly post: StoredPost; readonly event: Message; readonly at: number },
): Promise<Made> {
  const { teamId, post, event, at } = given
  const waiting = await tx.exchanges.open(roomIdOf(teamId))
  if (waiting.length > MOST_WAITING)
    throw new ClawbooError(
      'queue_full',
      `${waiting.length} exchanges of this room wait already; stop some of them first`,
    )
  return queueExchange(tx, { teamId, participants, stimulusSeq: post.seq, event, at })
}
