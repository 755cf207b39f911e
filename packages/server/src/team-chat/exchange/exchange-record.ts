import type { ExchangeView, LiveEvent } from '@clawboo/api/live-event'
import {
  applyExchangeEvent,
  type DroppedWake,
  type EndReason,
  type ExchangeChange,
  type ExchangeEvent,
  type ExchangeState,
  MAX_TURNS,
  openExchange,
  type Participant,
  readExchangeState,
  roomIdOf,
  teamIdOf,
  turnBound,
} from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredExchange } from '../../store/repositories/rooms/exchanges-repository.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import type { RoomRecord } from '../../store/repositories/rooms/rooms-repository.ts'
import { sortableId } from '../../store/sortable-id.ts'

/** The JSON in an exchange's row: the state of core, and the data with which the server continues after a crash. */
interface StoredState {
  readonly exchange: ExchangeState
  /** The turn that was opened and not closed; null = none. */
  readonly turn: StoredTurn | null
  /** The runs of all turns, with the chain of each. */
  readonly runs: readonly (Cause & { readonly runId: string })[]
  /** Tasks that the board reported, with the chain of each. `told` is the last signal that was applied. */
  readonly tasks: readonly (Cause & { readonly taskId: string; readonly told: string })[]
  /** The last post that was applied to the exchange; null = the exchange has not started. */
  readonly seenSeq: number | null
  /** The number of times that the due turn was interrupted. */
  readonly interruptions: number
}

interface Cause {
  readonly agentId: string
  readonly chainId: string
  readonly hops: number
}

export interface StoredTurn extends Cause {
  readonly runId: string
  readonly promptId: string
  /** The turn's number in the exchange. */
  readonly turn: number
  readonly because: 'obligation' | 'leader'
  /** The ids of the obligations that the turn fulfils. */
  readonly answers: readonly number[]
  /** The last post that the turn's prompt includes. */
  readonly toSeq: number
}

/** An exchange with its parsed state. */
export interface OpenExchange {
  readonly row: StoredExchange
  readonly teamId: string
  readonly stored: StoredState
}

/** null when the exchange has ended or its state cannot be read. */
export async function readExchange(tx: Pick<Repositories, 'exchanges'>, id: string): Promise<OpenExchange | null> {
  const row = await tx.exchanges.get(id)
  return row && row.status !== 'ended' ? parseExchange(row) : null
}

/** null when this version of the server cannot read the state. */
export function parseExchange(row: StoredExchange): OpenExchange | null {
  const stored = row.state as StoredState | null
  const teamId = teamIdOf(row.roomId)
  if (teamId === null || typeof stored !== 'object' || stored === null) return null
  if (!Array.isArray(stored.runs) || !Array.isArray(stored.tasks)) return null
  return readExchangeState(JSON.stringify(stored.exchange ?? null)).ok ? { row, teamId, stored } : null
}

/**
 * Saves an exchange. The caller must hold the room's lock and have read the row under it, so that no other server can
 * have taken the exchange.
 */
export async function saveExchange(
  tx: Pick<Repositories, 'exchanges'>,
  { row, stored }: OpenExchange,
  at: number,
): Promise<void> {
  const isSaved = row.owner !== null && (await tx.exchanges.save(row.id, row.owner, { state: stored, at }))
  if (!isSaved) throw new Error(`the owner of exchange "${row.id}" changed although its room was locked`)
}

export function applyEvents(open: OpenExchange, events: readonly ExchangeEvent[]): OpenExchange {
  if (events.length === 0) return open
  const exchange = events.reduce((state, event) => applyExchangeEvent(state, event).state, open.stored.exchange)
  return { ...open, stored: { ...open.stored, exchange } }
}

interface NewStimulus {
  readonly teamId: string
  readonly participants: readonly Participant[]
  /** null = the board is the stimulus. */
  readonly stimulusSeq: number | null
  readonly event: ExchangeEvent
  readonly at: number
}

export interface ChangedExchange {
  readonly open: OpenExchange
  readonly dropped: readonly DroppedWake[]
  readonly event: LiveEvent
}

/** Queues an exchange after the others of its room, which must exist, in the caller's transaction. */
export async function queueExchange(tx: Repositories, stimulus: NewStimulus): Promise<ChangedExchange> {
  const { teamId, stimulusSeq, at } = stimulus
  const roomId = roomIdOf(teamId)
  const initial = await initialState(tx, stimulus, sortableId(at))
  const { state, dropped } = applyExchangeEvent(initial, stimulus.event)
  const stored: StoredState = { exchange: state, turn: null, runs: [], tasks: [], seenSeq: null, interruptions: 0 }
  const row = await tx.exchanges.insert({
    id: state.exchangeId,
    roomId,
    ordinal: (await tx.rooms.nextOrdinal(roomId))!,
    stimulusSeq,
    state: stored,
    createdAt: at,
  })
  const open = { row, teamId, stored }
  return { open, dropped, event: exchangeChanged(open, await tx.rooms.get(roomId)) }
}

/** The state of a new exchange, with the last post of each participant. */
export async function initialState(
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

type TurnCap = Pick<RoomRecord, 'turnCap'> | null

export function policyOf(room: TurnCap) {
  return { maxTurns: room?.turnCap ?? MAX_TURNS.default }
}

/** The exchange as the API shows it. */
export function exchangeView({ row, teamId, stored }: OpenExchange, room: TurnCap): ExchangeView {
  const { exchange, turn } = stored
  return {
    id: row.id,
    teamId,
    ordinal: row.ordinal,
    status: row.status,
    reason: row.reason as EndReason | null,
    stimulusSeq: row.stimulusSeq,
    turns: exchange.turns.length,
    bound: turnBound(exchange, policyOf(room)),
    speaker: turn === null || row.status === 'ended' ? null : speakerView(turn),
    pending: exchange.obligations.map(({ agentId, because, chainId }) => ({ agentId, because, chainId })),
    chains: exchange.chains.map(({ id, begunBy, hops, ended }) => ({ id, begunBy, hops, ended })),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  }
}

function speakerView({ agentId, runId, turn, because, chainId }: StoredTurn): NonNullable<ExchangeView['speaker']> {
  return { agentId, runId, turn, because, chainId }
}

export function exchangeChanged(open: OpenExchange, room: TurnCap): LiveEvent {
  return { type: 'exchange-changed', exchange: exchangeView(open, room) }
}

/** The session key of an agent in a room: all its turns there continue one conversation. */
export function roomConversation(agentId: string, roomId: string): string {
  return `agent:${agentId}:room:${roomId}`
}

const PAGE = 200

/**
 * Applies the posts of agents since the exchange was last updated. The posts of the run `turnRunId` belong to its turn
 * and are returned instead; any other post with addressees is a signal from outside the turn.
 */
export async function applyNewPosts<Open extends OpenExchange>(
  tx: Pick<Repositories, 'posts'>,
  open: Open,
  headSeq: number,
  turnRunId: string | null = null,
): Promise<{ readonly open: Open; readonly turnPosts: readonly StoredPost[] }> {
  let { stored } = open
  let seenSeq = stored.seenSeq ?? headSeq
  const turnPosts: StoredPost[] = []
  for (;;) {
    const page = await tx.posts.after(open.row.roomId, seenSeq, PAGE)
    for (const post of page) {
      seenSeq = post.seq
      if (post.author.kind !== 'agent') continue
      if (turnRunId !== null && post.runId === turnRunId) turnPosts.push(post)
      else if (post.to.length > 0) stored = applyPost(stored, post, post.author.id)
    }
    if (page.length < PAGE) return { open: { ...open, stored: { ...stored, seenSeq } }, turnPosts }
  }
}

/** Applies a post. It continues the chain of its run's turn or task, when the exchange has one. */
function applyPost(stored: StoredState, post: StoredPost, agentId: string): StoredState {
  const source =
    stored.runs.find(({ runId }) => runId === post.runId) ?? stored.tasks.find(({ taskId }) => taskId === post.taskId)
  const { chainId, hops } = source ?? { chainId: post.chainId ?? post.id, hops: post.hops }
  const change = applyExchangeEvent(stored.exchange, {
    type: 'post',
    post: { id: post.id, body: post.body, to: post.to },
    cause: { kind: 'agent', agentId, chainId, hops },
  })
  // A post that is in the active turn's prompt is answered by that turn.
  const isAfterPrompt = stored.turn !== null && post.seq > stored.turn.toSeq
  return isAfterPrompt ? applySignalChange(stored, change) : { ...stored, exchange: change.state }
}

/**
 * Applies a change that came from outside the turns. Core drops a second wake of the speaker in the same chain, because
 * the obligation already exists. But the active turn started without this signal, so it must not fulfil the obligation.
 */
export function applySignalChange(stored: StoredState, { state, dropped }: ExchangeChange): StoredState {
  const { turn } = stored
  const repeated = dropped.filter(({ reason, agentId }) => reason === 'already_owed' && agentId === turn?.agentId)
  if (!turn || repeated.length === 0) return { ...stored, exchange: state }
  const stillOwed = state.obligations
    .filter(({ agentId, chainId }) => agentId === turn.agentId && repeated.some((wake) => wake.chainId === chainId))
    .map(({ id }) => id)
  const answers = turn.answers.filter((id) => !stillOwed.includes(id))
  return { ...stored, exchange: state, turn: { ...turn, answers } }
}
