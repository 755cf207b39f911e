import type { LiveEvent } from '@clawboo/api/live-event'
import {
  applyExchangeEvent,
  type EndStep,
  type ExchangeEvent,
  nextStep,
  type Obligation,
  type Participant,
  type SpeakStep,
} from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { RoomRecord } from '../store/repositories/rooms/rooms-repository.ts'
import { roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged, policyOf } from './exchange-view.ts'
import { type OpenExchange, readOpen, saveKept } from './kept-exchange.ts'
import { readMembers } from './participants.ts'
import { queueExchange } from './queue-exchange.ts'
import { takeInPosts } from './take-in-posts.ts'

export type Planned =
  | { readonly plan: 'speak'; readonly step: SpeakStep; readonly open: OpenExchange }
  | { readonly plan: 'ended' }
  /** Another server drives it, or it is gone. */
  | { readonly plan: 'not ours' }

/**
 * Decides what comes next in an exchange, with all that has happened in the room and the team until now, and ends it
 * when nothing does. `more` is applied before.
 */
export async function planStep(
  parts: DriverParts,
  { exchangeId, teamId }: { readonly exchangeId: string; readonly teamId: string },
  more: readonly ExchangeEvent[] = [],
): Promise<Planned> {
  const { participants } = await readMembers(parts, teamId)
  return parts.record<Planned>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const found = await readOpen(tx, exchangeId)
    const room = found && (await tx.rooms.get(found.row.roomId))
    if (!found || !room || found.row.owner !== parts.instance) return { result: { plan: 'not ours' }, events: [] }
    const { open: seen } = await takeInPosts(tx, found, room.headSeq)
    const open = withEvents(seen, [...membersEvent(seen, participants), ...more])
    const step = nextStep(open.kept.exchange, policyOf(room))
    if (step.step === 'end') return endExchange(tx, open, { step, room, participants, at: parts.now() })
    if (open.kept.exchange === found.kept.exchange && open.kept.seenSeq === found.kept.seenSeq)
      return { result: { plan: 'speak', step, open }, events: [] }
    await saveKept(tx, open, parts.now())
    const isSeen = open.kept.exchange !== found.kept.exchange
    return { result: { plan: 'speak', step, open }, events: isSeen ? [exchangeChanged(open, room)] : [] }
  })
}

export function withEvents(open: OpenExchange, events: readonly ExchangeEvent[]): OpenExchange {
  if (events.length === 0) return open
  const exchange = events.reduce((state, event) => applyExchangeEvent(state, event).state, open.kept.exchange)
  return { ...open, kept: { ...open.kept, exchange } }
}

function membersEvent({ kept }: OpenExchange, participants: readonly Participant[]): ExchangeEvent[] {
  const known = JSON.stringify(kept.exchange.participants)
  return known === JSON.stringify(participants) ? [] : [{ type: 'members_changed', participants }]
}

async function endExchange(
  tx: Repositories,
  open: OpenExchange,
  given: {
    readonly step: EndStep
    readonly room: RoomRecord
    readonly participants: readonly Participant[]
    readonly at: number
  },
): Promise<{ result: Planned; events: LiveEvent[] }> {
  const { step, room, at } = given
  const { id, owner } = open.row
  const row = await tx.exchanges.end(id, owner, { reason: step.reason, state: open.kept, at })
  if (!row) return { result: { plan: 'not ours' }, events: [] }
  const events = [exchangeChanged({ ...open, row }, room)]
  if (step.reason === 'max_turns') {
    const pending = step.pending.map(({ agentId }) => agentId)
    const { turns, bound } = step
    events.push({ type: 'turn-bound-hit', teamId: open.teamId, exchangeId: id, turns, bound, pending })
    for (const message of untaken(open, step.pending)) events.push(...(await queueAgain(tx, open, message, given)))
  }
  return { result: { plan: 'ended' }, events }
}

/** Messages that joined the exchange and that nobody has come to: each begins one of its own, so that it is not lost. */
function untaken({ kept: { exchange } }: OpenExchange, pending: readonly Obligation[]): readonly Untaken[] {
  const begun = new Set(exchange.turns.map(({ chainId }) => chainId))
  const open = pending.filter(
    ({ because, chainId }) => (because === 'mention' || because === 'message') && !begun.has(chainId),
  )
  return [...new Set(open.map(({ chainId }) => chainId))].map((postId) => ({
    postId,
    mentions: open
      .filter(({ chainId, because }) => chainId === postId && because === 'mention')
      .map(({ agentId }) => agentId),
  }))
}

interface Untaken {
  /** A message begins the chain that has its own id. */
  readonly postId: string
  readonly mentions: readonly string[]
}

async function queueAgain(
  tx: Repositories,
  open: OpenExchange,
  { postId, mentions }: Untaken,
  { participants, at }: { readonly participants: readonly Participant[]; readonly at: number },
): Promise<LiveEvent[]> {
  const post = await tx.posts.get(postId)
  if (!post) return []
  const { teamId, kept } = open
  const event = { type: 'message', postId, chainId: postId, mentions, skip: kept.exchange.skipped } as const
  const queued = await queueExchange(tx, { teamId, participants, stimulusSeq: post.seq, event, at })
  return [queued.event]
}
