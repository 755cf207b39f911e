import type { LiveEvent } from '@clawboo/api/live-event'
import { isPass } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { storableText } from '../store/storable-text.ts'
import { appendPost, posted, roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged } from './exchange-view.ts'
import { type OpenExchange, type OpenTurn, readOpen, saveKept } from './kept-exchange.ts'
import { withEvents } from './plan-step.ts'
import { cutBody } from './post-body.ts'
import { takeInPosts } from './take-in-posts.ts'

/** How a turn ended. */
export interface TurnEnding {
  /** The agent's last words. A pass, or text that the agent already posted itself, is not posted again. */
  readonly text: string
  /** A line from the server about the turn; null = none. */
  readonly note: string | null
  /** Whether the prompt reached the agent, which then knows the room up to that point. */
  readonly isDelivered: boolean
  readonly isBudgetSpent: boolean
  /** The turn was cut off: it does not count, and its obligations remain. */
  readonly isInterrupted: boolean
}

export interface TurnPlace {
  readonly exchangeId: string
  readonly teamId: string
  readonly turn: OpenTurn
}

const SUMMARY_CHARACTERS = 2_000

/**
 * Ends a turn in the caller's transaction, which holds the room: its post, what follows from the post, the agent's
 * cursor and the state of the exchange. The result is false when another server has taken over the turn.
 */
export async function closeTurn(
  tx: Repositories,
  instance: string,
  place: TurnPlace,
  ending: TurnEnding,
  at: number,
): Promise<{ result: boolean; events: readonly LiveEvent[] }> {
  const { exchangeId, turn } = place
  const found = await readOpen(tx, exchangeId)
  const room = found && (await tx.rooms.get(found.row.roomId))
  // Read again: a message may have reached the turn since it was opened.
  const open = found?.row.owner === instance ? found.kept.turn : null
  if (!found || !room || open?.runId !== turn.runId) return { result: false, events: [] }
  const { open: seen, said } = await takeInPosts(tx, found, room.headSeq, turn.runId)
  const own = await postWords(tx, place, said, ending, at)
  await saveMember(tx, found.row.roomId, turn, ending, at)
  const closed = afterTurn(seen, exchangeId, seen.kept.turn ?? open, own.posts, ending)
  await saveKept(tx, closed, at)
  return { result: true, events: [...own.events, exchangeChanged(closed, room)] }
}

/** Closes the turn in the state of the exchange and applies its posts. */
function afterTurn(
  open: OpenExchange,
  exchangeId: string,
  turn: OpenTurn,
  said: readonly StoredPost[],
  { isInterrupted, isBudgetSpent }: TurnEnding,
): OpenExchange {
  const { agentId, chainId, hops, answers } = turn
  const posts = said.map(({ id, body, to }) => ({ id, body, to }))
  const cause = { kind: 'agent', agentId, chainId, hops } as const
  const turnId = turnKey(exchangeId, turn)
  const events = isInterrupted
    ? posts.map((post) => ({ type: 'post', post, cause }) as const)
    : [{ type: 'turn', turnId, agentId, chainId, hops, answers, posts } as const]
  const told = withEvents(open, [...events, ...(isBudgetSpent ? [{ type: 'budget_paused' } as const] : [])])
  const interruptions = isInterrupted ? open.kept.interruptions + 1 : 0
  return { ...told, kept: { ...told.kept, turn: null, interruptions } }
}

export function turnKey(exchangeId: string, { turn }: Pick<OpenTurn, 'turn'>): string {
  return `${exchangeId}:${turn}`
}

/** Posts the agent's last words and the server's note. Resolves to all posts of the turn and the events of the new ones. */
async function postWords(
  tx: Repositories,
  { teamId, turn, exchangeId }: TurnPlace,
  said: readonly StoredPost[],
  { text, note }: TurnEnding,
  at: number,
): Promise<{ readonly posts: readonly StoredPost[]; readonly events: LiveEvent[] }> {
  const isNew = text.trim() !== '' && !isPass(text) && !said.some(({ body }) => body.trim() === text.trim())
  const { agentId, chainId, hops, runId } = turn
  const own = isNew
    ? await appendPost(tx, {
        teamId,
        runId,
        at,
        credential: 'mediated',
        turnKey: turnKey(exchangeId, turn),
        author: { kind: 'agent', id: agentId },
        body: cutBody(text),
        chain: { id: chainId, hops },
      })
    : null
  const notice =
    note === null
      ? null
      : await appendPost(tx, {
          teamId,
          author: { kind: 'system' },
          body: cutBody(note),
          runId,
          credential: 'server',
          at,
        })
  return {
    posts: own ? [...said, own.post] : said,
    events: [own, notice].flatMap((made) => (made?.isNew ? [posted(made.post)] : [])),
  }
}

async function saveMember(
  tx: Repositories,
  roomId: string,
  { agentId, toSeq }: OpenTurn,
  { text, isDelivered }: TurnEnding,
  updatedAt: number,
): Promise<void> {
  const before = await tx.roomMembers.get(roomId, agentId)
  const cursorSeq = Math.max(before?.cursorSeq ?? 0, isDelivered ? toSeq : 0)
  const hasWords = text.trim() !== '' && !isPass(text)
  const summary = hasWords ? storableText(text.trim(), SUMMARY_CHARACTERS) : (before?.summary ?? null)
  // An agent that was removed in the meantime has no cursor to store.
  if (!(await tx.agents.get(agentId))) return
  await tx.roomMembers.save({ roomId, agentId, cursorSeq, summary, updatedAt })
}

/** The runtime has stored the prompt: however the turn ends, the agent knows the room up to that point. */
export function markDelivered(parts: DriverParts, place: TurnPlace): Promise<void> {
  const { exchangeId, teamId, turn } = place
  return parts.record({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const found = await readOpen(tx, exchangeId)
    if (found && (await tx.agents.get(turn.agentId))) {
      const { roomId } = found.row
      const before = await tx.roomMembers.get(roomId, turn.agentId)
      const cursorSeq = Math.max(before?.cursorSeq ?? 0, turn.toSeq)
      await tx.roomMembers.save({
        roomId,
        agentId: turn.agentId,
        cursorSeq,
        summary: before?.summary ?? null,
        updatedAt: parts.now(),
      })
    }
    return { result: undefined, events: [] }
  })
}

/** A person's message reached the active turn, so the turn also answers it if its agent owes that answer. */
export function markHeard(parts: DriverParts, place: TurnPlace, postId: string): Promise<void> {
  return parts.record({ action: null, lock: roomLock(place.teamId) }, async (tx) => {
    const open = await readOpen(tx, place.exchangeId)
    const turn = open?.kept.turn
    if (!open || turn?.runId !== place.turn.runId) return { result: undefined, events: [] }
    const heard = open.kept.exchange.obligations
      .filter((owed) => owed.agentId === turn.agentId && owed.postId === postId)
      .map(({ id }) => id)
    if (heard.length === 0) return { result: undefined, events: [] }
    const answers = [...new Set([...turn.answers, ...heard])]
    await saveKept(tx, { ...open, kept: { ...open.kept, turn: { ...turn, answers } } }, parts.now())
    return { result: undefined, events: [] }
  })
}
