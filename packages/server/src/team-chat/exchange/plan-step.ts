import type { LiveEvent } from '@clawboo/api/live-event'
import {
  type EndStep,
  type ExchangeEvent,
  nextStep,
  type Obligation,
  type Participant,
  type SpeakStep,
} from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { RoomRecord } from '../../store/repositories/rooms/rooms-repository.ts'
import { roomLock } from '../posts/append-post.ts'
import { readMembers } from '../posts/room-members.ts'
import {
  applyEvents,
  applyNewPosts,
  exchangeChanged,
  type OpenExchange,
  policyOf,
  queueExchange,
  readExchange,
  saveExchange,
} from './exchange-record.ts'
import type { ExchangeServices } from './exchange-services.ts'

type PlannedStep =
  | { readonly plan: 'speak'; readonly step: SpeakStep; readonly open: OpenExchange }
  | { readonly plan: 'ended' }
  /** Another server drives the exchange, or the exchange was deleted. */
  | { readonly plan: 'not ours' }

/**
 * Applies the room's new posts, the team's current members and `events`, then decides the next step. Ends the exchange
 * when there is none.
 */
export async function planStep(
  services: ExchangeServices,
  { exchangeId, teamId }: { readonly exchangeId: string; readonly teamId: string },
  events: readonly ExchangeEvent[] = [],
): Promise<PlannedStep> {
  const { participants } = await readMembers(services, teamId)
  return services.record<PlannedStep>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const before = await readExchange(tx, exchangeId)
    const room = before && (await tx.rooms.get(before.row.roomId))
    if (!before || !room || before.row.owner !== services.instance) return { result: { plan: 'not ours' }, events: [] }
    const { open: withPosts } = await applyNewPosts(tx, before, room.headSeq)
    const open = applyEvents(withPosts, [...membersEvent(withPosts, participants), ...events])
    const step = nextStep(open.stored.exchange, policyOf(room))
    if (step.step === 'end') return endExchange(tx, open, { step, room, participants, at: services.now() })
    const isChanged = open.stored.exchange !== before.stored.exchange
    if (isChanged || open.stored.seenSeq !== before.stored.seenSeq) await saveExchange(tx, open, services.now())
    return { result: { plan: 'speak', step, open }, events: isChanged ? [exchangeChanged(open, room)] : [] }
  })
}

function membersEvent({ stored }: OpenExchange, participants: readonly Participant[]): ExchangeEvent[] {
  const known = JSON.stringify(stored.exchange.participants)
  return known === JSON.stringify(participants) ? [] : [{ type: 'members_changed', participants }]
}

interface Ending {
  readonly step: EndStep
  readonly room: RoomRecord
  readonly participants: readonly Participant[]
  readonly at: number
}

async function endExchange(
  tx: Repositories,
  open: OpenExchange,
  ending: Ending,
): Promise<{ result: PlannedStep; events: LiveEvent[] }> {
  const { step, room, at } = ending
  const { id, owner } = open.row
  const row = await tx.exchanges.end(id, owner, { reason: step.reason, state: open.stored, at })
  if (!row) return { result: { plan: 'not ours' }, events: [] }
  const events = [exchangeChanged({ ...open, row }, room)]
  if (step.reason === 'max_turns') {
    const pending = step.pending.map(({ agentId }) => agentId)
    const { turns, bound } = step
    events.push({ type: 'turn-bound-hit', teamId: open.teamId, exchangeId: id, turns, bound, pending })
    for (const message of unanswered(open, step.pending)) events.push(...(await requeue(tx, open, message, ending)))
  }
  return { result: { plan: 'ended' }, events }
}

interface UnansweredMessage {
  /** Also the id of the chain that the message started. */
  readonly postId: string
  readonly mentions: readonly string[]
}

/** Returns the messages that joined the exchange and got no turn. Each gets its own exchange, so that none is lost. */
function unanswered(
  { stored: { exchange } }: OpenExchange,
  pending: readonly Obligation[],
): readonly UnansweredMessage[] {
  const answeredChains = new Set(exchange.turns.map(({ chainId }) => chainId))
  const open = pending.filter(
    ({ because, chainId }) => (because === 'mention' || because === 'message') && !answeredChains.has(chainId),
  )
  return [...new Set(open.map(({ chainId }) => chainId))].map((postId) => ({
    postId,
    mentions: open
      .filter(({ chainId, because }) => chainId === postId && because === 'mention')
      .map(({ agentId }) => agentId),
  }))
}

async function requeue(
  tx: Repositories,
  open: OpenExchange,
  { postId, mentions }: UnansweredMessage,
  { participants, at }: Ending,
): Promise<LiveEvent[]> {
  const post = await tx.posts.get(postId)
  if (!post) return []
  const { teamId, stored } = open
  const event = { type: 'message', postId, chainId: postId, mentions, skip: stored.exchange.skipped } as const
  const queued = await queueExchange(tx, { teamId, participants, stimulusSeq: post.seq, event, at })
  return [queued.event]
}
