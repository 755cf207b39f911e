import type { ExchangeView } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import {
  applyExchangeEvent,
  type DroppedWake,
  nextStep,
  type PersonMessage,
  previewWake,
  roomIdOf,
  type WakePreview,
} from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { appendPost, checkBody, postedEvent, roomLock } from '../posts/append-post.ts'
import {
  findAddressed,
  personAuthor,
  type RoomMembers,
  readMembers,
  type SpeakingPerson,
} from '../posts/room-members.ts'
import {
  type ChangedExchange,
  exchangeChanged,
  exchangeView,
  initialState,
  type OpenExchange,
  parseExchange,
  policyOf,
  queueExchange,
  roomConversation,
  saveExchange,
} from './exchange-record.ts'
import type { ExchangeServices } from './exchange-services.ts'

export interface RoomMessage {
  readonly body: string
  /** Members of the team, by id or name. */
  readonly to?: readonly string[]
  /** Members that the message must not wake. */
  readonly skip?: readonly string[]
  /** `steer` joins the running exchange; `queue` starts a new one after the others. */
  readonly mode?: 'queue' | 'steer'
}

export interface SentMessage {
  readonly post: StoredPost
  readonly exchange: ExchangeView
  /** The message joined an exchange that was already running. */
  readonly joined: boolean
  /** The mentioned agents that are not woken, with reasons. */
  readonly dropped: readonly DroppedWake[]
}

const MOST_WAITING = 20

/**
 * Stores a person's message, and the exchange that it starts or joins, in one transaction. Throws `team_not_found`,
 * `request_invalid`, `queue_full`, and `agent_not_found` when the author or an addressee is not in the team.
 */
export async function sayToRoom(
  services: ExchangeServices,
  teamId: string,
  by: SpeakingPerson,
  message: RoomMessage,
): Promise<SentMessage> {
  const { store, now } = services
  const members = await readMembers(services, teamId)
  const author = await personAuthor(store, teamId, by)
  const body = checkBody(message.body)
  const to = await findAddressed(store, teamId, message.to ?? [], members.leaderId)
  const skip = await findAddressed(store, teamId, message.skip ?? [], members.leaderId)
  const at = now()
  const change = { action: 'team-chat.say', subject: teamId, lock: roomLock(teamId) }
  return services.record<SentMessage>(change, async (tx) => {
    const { post } = await appendPost(tx, { teamId, author, body, to, credential: 'operator', at })
    const event = { type: 'message', postId: post.id, chainId: post.id, mentions: to, skip } as const
    const running = message.mode === 'steer' ? await findJoinable(tx, teamId) : null
    const joined = running !== null
    const changed = running
      ? await joinExchange(tx, running, event, at)
      : await startExchange(tx, members, post, event, at)
    return {
      result: {
        post,
        exchange: exchangeView(changed.open, await tx.rooms.get(roomIdOf(teamId))),
        joined,
        dropped: changed.dropped,
      },
      events: [postedEvent(post), changed.event],
      detail: {
        as: by.kind === 'person' ? by.id : null,
        postId: post.id,
        exchangeId: changed.open.row.id,
        joined,
        to,
      },
    }
  })
}

/** Finds the running exchange, unless it is about to end, which would leave the message without an answer. */
async function findJoinable(tx: Repositories, teamId: string): Promise<OpenExchange | null> {
  const roomId = roomIdOf(teamId)
  const running = (await tx.exchanges.open(roomId)).find(({ status }) => status === 'running')
  const open = running ? parseExchange(running) : null
  if (!open) return null
  const step = nextStep(open.stored.exchange, policyOf(await tx.rooms.get(roomId)))
  return step.step === 'speak' || open.stored.turn ? open : null
}

async function joinExchange(
  tx: Repositories,
  running: OpenExchange,
  message: PersonMessage,
  at: number,
): Promise<ChangedExchange> {
  const { state, dropped } = applyExchangeEvent(running.stored.exchange, message)
  const open = { ...running, stored: { ...running.stored, exchange: state } }
  await saveExchange(tx, open, at)
  return { open, dropped, event: exchangeChanged(open, await tx.rooms.get(open.row.roomId)) }
}

async function startExchange(
  tx: Repositories,
  { participants }: RoomMembers,
  { teamId, seq }: StoredPost,
  event: PersonMessage,
  at: number,
): Promise<ChangedExchange> {
  const waiting = await tx.exchanges.open(roomIdOf(teamId))
  if (waiting.length > MOST_WAITING)
    throw new ClawbooError(
      'queue_full',
      `${waiting.length} exchanges are already waiting in this room; stop some of them first`,
    )
  return queueExchange(tx, { teamId, participants, stimulusSeq: seq, event, at })
}

/** The number of past turns in the average cost. */
const TURNS = 20

/** Returns the effect of a message without sending it. Throws the same errors as sending it. */
export async function previewRoom(
  services: ExchangeServices,
  teamId: string,
  message: Pick<RoomMessage, 'to' | 'skip' | 'mode'>,
): Promise<WakePreview & { readonly joins: boolean }> {
  const { store } = services
  const roomId = roomIdOf(teamId)
  const { participants, leaderId } = await readMembers(services, teamId)
  const mentions = await findAddressed(store, teamId, message.to ?? [], leaderId)
  const skip = await findAddressed(store, teamId, message.skip ?? [], leaderId)
  const rows = message.mode === 'steer' ? await store.exchanges.open(roomId) : []
  const row = rows.find(({ status }) => status === 'running')
  const running = row ? parseExchange(row) : null
  const state = running?.stored.exchange ?? (await initialState(store, { teamId, participants }, 'preview'))
  const prices = await Promise.all(
    participants.map(async ({ agentId }) => [agentId, await averageUsd(services, roomId, agentId)] as const),
  )
  const policy = policyOf(await store.rooms.get(roomId))
  const preview = previewWake({ state, mentions, skip, policy, averageUsd: new Map(prices) })
  return { ...preview, joins: running !== null }
}

/** The average cost of the agent's turns in this room; null = it had none, or the cost of one is unknown. */
async function averageUsd({ store }: ExchangeServices, roomId: string, agentId: string): Promise<number | null> {
  const sessionKey = roomConversation(agentId, roomId)
  const runs = await store.runs.list({ agentId, sessionKey, state: 'ended', limit: TURNS })
  const costs = runs.map(({ costUsd, costComplete }) => (costComplete ? costUsd : null))
  if (costs.length === 0 || costs.some((cost) => cost === null)) return null
  return costs.reduce<number>((sum, cost) => sum + cost!, 0) / costs.length
}
