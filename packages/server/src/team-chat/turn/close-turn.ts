import type { LiveEvent } from '@clawboo/api/live-event'
import { isPass, type SpeakStep } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { storableText } from '../../store/storable-text.ts'
import {
  applyEvents,
  applyNewPosts,
  exchangeChanged,
  type OpenExchange,
  readExchange,
  type StoredTurn,
  saveExchange,
} from '../exchange/exchange-record.ts'
import type { ExchangeServices } from '../exchange/exchange-services.ts'
import { type AppendedPost, appendPost, cutBody, postedEvent, roomLock } from '../posts/append-post.ts'

/** How a turn ended. */
export interface TurnEnding {
  /** The agent's last text. A pass, or text that the agent already posted itself, is not posted again. */
  readonly text: string
  /** The server's post about the turn; null = none. */
  readonly note: string | null
  /** Whether the agent received the prompt and so has read the room up to that point. */
  readonly isDelivered: boolean
  readonly isBudgetSpent: boolean
  /** An interrupted turn does not count, and its obligations remain. */
  readonly isInterrupted: boolean
}

export interface TurnPlace {
  readonly exchangeId: string
  readonly teamId: string
  readonly turn: StoredTurn
}

const SUMMARY_CHARACTERS = 2_000

/**
 * Ends a turn in the caller's transaction, which holds the room's lock: stores its post, the effects of the post, the
 * agent's cursor and the state of the exchange. The result is false when another server has taken over the turn.
 */
export async function closeTurn(
  tx: Repositories,
  instance: string,
  place: TurnPlace,
  ending: TurnEnding,
  at: number,
): Promise<{ result: boolean; events: readonly LiveEvent[] }> {
  const { exchangeId, turn } = place
  const before = await readExchange(tx, exchangeId)
  const room = before && (await tx.rooms.get(before.row.roomId))
  // Read again, because a message may have been added to the turn since it was opened.
  const current = before?.row.owner === instance ? before.stored.turn : null
  if (!before || !room || current?.runId !== turn.runId) return { result: false, events: [] }
  const { open, turnPosts } = await applyNewPosts(tx, before, room.headSeq, turn.runId)
  const texts = await postTexts(tx, place, turnPosts, ending, at)
  await saveCursor(tx, before.row.roomId, turn, ending, at)
  const closed = closeInState(open, exchangeId, open.stored.turn ?? current, texts.posts, ending)
  await saveExchange(tx, closed, at)
  return { result: true, events: [...texts.events, exchangeChanged(closed, room)] }
}

function closeInState(
  open: OpenExchange,
  exchangeId: string,
  turn: StoredTurn,
  turnPosts: readonly StoredPost[],
  { isInterrupted, isBudgetSpent }: TurnEnding,
): OpenExchange {
  const { agentId, chainId, hops, answers } = turn
  const posts = turnPosts.map(({ id, body, to }) => ({ id, body, to }))
  const cause = { kind: 'agent', agentId, chainId, hops } as const
  const turnId = turnKey(exchangeId, turn)
  const events = isInterrupted
    ? posts.map((post) => ({ type: 'post', post, cause }) as const)
    : [{ type: 'turn', turnId, agentId, chainId, hops, answers, posts } as const]
  const changed = applyEvents(open, [...events, ...(isBudgetSpent ? [{ type: 'budget_paused' } as const] : [])])
  const interruptions = isInterrupted ? open.stored.interruptions + 1 : 0
  return { ...changed, stored: { ...changed.stored, turn: null, interruptions } }
}

function turnKey(exchangeId: string, { turn }: Pick<StoredTurn, 'turn'>): string {
  return `${exchangeId}:${turn}`
}

/** Posts the agent's last text and the server's note. Returns all posts of the turn, and the events of the new ones. */
async function postTexts(
  tx: Repositories,
  { teamId, turn, exchangeId }: TurnPlace,
  turnPosts: readonly StoredPost[],
  { text, note }: TurnEnding,
  at: number,
): Promise<{ readonly posts: readonly StoredPost[]; readonly events: LiveEvent[] }> {
  const isPosted = turnPosts.some(({ body }) => body.trim() === text.trim())
  const { agentId, chainId, hops, runId } = turn
  const mediated =
    text.trim() === '' || isPass(text) || isPosted
      ? null
      : await appendPost(tx, {
          teamId,
          author: { kind: 'agent', id: agentId },
          body: cutBody(text),
          chain: { id: chainId, hops },
          runId,
          credential: 'mediated',
          turnKey: turnKey(exchangeId, turn),
          at,
        })
  const notice = note === null ? null : await appendNote(tx, { teamId, note, runId, at })
  return {
    posts: mediated ? [...turnPosts, mediated.post] : turnPosts,
    events: [mediated, notice].flatMap((appended) => (appended?.isNew ? [postedEvent(appended.post)] : [])),
  }
}

function appendNote(
  tx: Repositories,
  { teamId, note, runId, at }: { teamId: string; note: string; runId?: string; at: number },
): Promise<AppendedPost> {
  return appendPost(tx, {
    teamId,
    author: { kind: 'system' },
    body: cutBody(note),
    runId: runId ?? null,
    credential: 'server',
    at,
  })
}

async function saveCursor(
  tx: Repositories,
  roomId: string,
  { agentId, toSeq }: StoredTurn,
  { text, isDelivered }: Pick<TurnEnding, 'text' | 'isDelivered'>,
  updatedAt: number,
): Promise<void> {
  // An agent that was removed in the meantime has no cursor to store.
  if (!(await tx.agents.get(agentId))) return
  const before = await tx.roomMembers.get(roomId, agentId)
  const hasText = text.trim() !== '' && !isPass(text)
  await tx.roomMembers.save({
    roomId,
    agentId,
    cursorSeq: Math.max(before?.cursorSeq ?? 0, isDelivered ? toSeq : 0),
    summary: hasText ? storableText(text.trim(), SUMMARY_CHARACTERS) : (before?.summary ?? null),
    updatedAt,
  })
}

/** The runtime has stored the prompt: whatever the end of the turn, the agent has read the room up to that point. */
export function markDelivered(services: ExchangeServices, { exchangeId, teamId, turn }: TurnPlace): Promise<void> {
  return services.record({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const open = await readExchange(tx, exchangeId)
    if (open) await saveCursor(tx, open.row.roomId, turn, { text: '', isDelivered: true }, services.now())
    return { result: undefined, events: [] }
  })
}

/** Adds the obligation of a person's message that reached the active turn, so that the turn fulfils it as well. */
export function markAnswering(services: ExchangeServices, place: TurnPlace, postId: string): Promise<void> {
  return services.record({ action: null, lock: roomLock(place.teamId) }, async (tx) => {
    const open = await readExchange(tx, place.exchangeId)
    const turn = open?.stored.turn
    if (!open || turn?.runId !== place.turn.runId) return { result: undefined, events: [] }
    const added = open.stored.exchange.obligations
      .filter((owed) => owed.agentId === turn.agentId && owed.postId === postId)
      .map(({ id }) => id)
    if (added.length === 0) return { result: undefined, events: [] }
    const answers = [...new Set([...turn.answers, ...added])]
    await saveExchange(tx, { ...open, stored: { ...open.stored, turn: { ...turn, answers } } }, services.now())
    return { result: undefined, events: [] }
  })
}

/** Counts the turn of an agent that cannot run, without an answer, and posts the reason. */
export function refuseTurn(
  services: ExchangeServices,
  { teamId, row }: OpenExchange,
  step: SpeakStep,
  reason: string,
): Promise<void> {
  return services.record({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const current = await readExchange(tx, row.id)
    if (!current || current.row.owner !== services.instance) return { result: undefined, events: [] }
    const at = services.now()
    const { agentId, chainId, hops, obligations } = step
    const answers = obligations.map(({ id }) => id)
    const turnId = turnKey(row.id, step)
    const open = applyEvents(current, [{ type: 'turn', turnId, agentId, chainId, hops, answers, posts: [] }])
    await saveExchange(tx, open, at)
    const { post } = await appendNote(tx, { teamId, note: reason, at })
    return { result: undefined, events: [postedEvent(post), exchangeChanged(open, await tx.rooms.get(row.roomId))] }
  })
}
