import type { LiveEvent } from '@clawboo/api/live-event'
import {
  applyExchangeEvent,
  type ExchangeEvent,
  type ExchangeState,
  openExchange,
  type Participant,
  roomIdOf,
} from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import { sortableId } from '../store/sortable-id.ts'
import { exchangeChanged } from './exchange-view.ts'
import { beginKept, type OpenExchange } from './kept-exchange.ts'

export interface NewStimulus {
  readonly teamId: string
  readonly participants: readonly Participant[]
  /** null = the board. */
  readonly stimulusSeq: number | null
  readonly event: ExchangeEvent
  readonly at: number
}

export interface QueuedExchange {
  readonly open: OpenExchange
  readonly dropped: ReturnType<typeof applyExchangeEvent>['dropped']
  readonly event: LiveEvent
}

/** Queues an exchange behind the others of its room, in the caller's transaction. The room is there. */
export async function queueExchange(tx: Repositories, stimulus: NewStimulus): Promise<QueuedExchange> {
  const { teamId, stimulusSeq, at } = stimulus
  const roomId = roomIdOf(teamId)
  const begun = await beginState(tx, stimulus, sortableId(at))
  const { state, dropped } = applyExchangeEvent(begun, stimulus.event)
  const ordinal = (await tx.rooms.nextOrdinal(roomId))!
  const kept = beginKept(state)
  const id = state.exchangeId
  const row = await tx.exchanges.insert({ id, roomId, ordinal, stimulusSeq, state: kept, createdAt: at })
  const open = { row, teamId, kept }
  return { open, dropped, event: exchangeChanged(open, await tx.rooms.get(roomId)) }
}

/** An exchange in which nothing has happened, that knows what everybody said last. */
export async function beginState(
  tx: Pick<Repositories, 'posts'>,
  { teamId, participants }: Pick<NewStimulus, 'teamId' | 'participants'>,
  exchangeId: string,
): Promise<ExchangeState> {
  const lastPosts: { agentId: string; body: string }[] = []
  for (const { agentId } of participants) {
    const last = await tx.posts.lastOf(roomIdOf(teamId), agentId)
    if (last) lastPosts.push({ agentId, body: last.body })
  }
  return openExchange({ exchangeId, teamId, participants, lastPosts })
}
