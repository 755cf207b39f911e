import type { LiveEvent } from '@clawboo/api/live-event'
import { isPass } from '@clawboo/core/team-chat'
import { setStatus } from '../executor/conversation-book.ts'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/posts-repository.ts'
import type { RunEnd } from '../store/runs-repository.ts'
import { storableText } from '../store/storable-text.ts'
import { appendPost, posted, roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged } from './exchange-view.ts'
import { type OpenExchange, type OpenTurn, readOpen, saveKept } from './kept-exchange.ts'
import { withEvents } from './plan-step.ts'
import { cutBody } from './post-body.ts'
import { takeInPosts } from './take-in-posts.ts'

/** How a turn came to its end. */
export interface TurnEnding {
  /** Ends the run's row; null = it has none, or it was ended before. */
  readonly run: Omit<RunEnd, 'endedAt'> | null
  /** What it said last; a pass, and what it has posted by itself already, is not posted. */
  readonly text: string
  /** What the server tells the room about it; null = nothing. */
  readonly note: string | null
  /** Whether the prompt reached the agent: then it knows the room up to there. */
  readonly isDelivered: boolean
  readonly isBudgetSpent: boolean
  /** It was cut off: it does not count, and what it was to answer is still owed. */
  readonly isInterrupted: boolean
}

const SUMMARY_CHARACTERS = 2_000

/**
 * Ends a turn: its run, its post, what follows from it, the cursor and the state of the exchange, all or nothing. False
 * when the turn is not this server's any more; then only its run is ended.
 */
export function closeTurn(
  parts: DriverParts,
  at: { readonly exchangeId: string; readonly teamId: string; readonly turn: OpenTurn },
  ending: TurnEnding,
): Promise<boolean> {
  const { exchangeId, teamId, turn } = at
  return parts.record<boolean>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const now = parts.now()
    const events = ending.run === null ? [] : await endRun(tx, parts.instance, turn, { ...ending.run, endedAt: now })
    const found = await readOpen(tx, exchangeId)
    const room = found && (await tx.rooms.get(found.row.roomId))
    // As it is kept: a message may have reached it since it was opened.
    const open = found?.row.owner === parts.instance ? found.kept.turn : null
    if (!found || !room || open?.runId !== turn.runId) return { result: false, events }
    const taken = await takeInPosts(tx, found, room.headSeq, turn.runId)
    const own = await postWords(tx, { teamId, turn, exchangeId, at: now }, taken.said, ending)
    await saveMember(tx, found.row.roomId, turn, ending, now)
    const closed = afterTurn(taken.open, exchangeId, taken.open.kept.turn ?? open, own.said, ending)
    await saveKept(tx, closed, now)
    return { result: true, events: [...events, ...own.events, exchangeChanged(closed, room)] }
  })
}

/** The turn is not open any more, and what it said has its consequences. */
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

async function endRun(tx: Repositories, instance: string, turn: OpenTurn, end: RunEnd): Promise<LiveEvent[]> {
  const run = await tx.runs.end(turn.runId, instance, end)
  if (!run) return []
  const expired = await tx.attention.expire({ runIds: [run.id] }, end.endedAt)
  const status = await setStatus(tx, run.agentId, end.outcome === 'failed' ? 'error' : 'idle', end.endedAt)
  return [
    { type: 'run-ended', run },
    ...status,
    ...expired.map((item): LiveEvent => ({ type: 'attention-changed', item })),
  ]
}

async function postWords(
  tx: Repositories,
  { teamId, turn, exchangeId, at }: { teamId: string; turn: OpenTurn; exchangeId: string; at: number },
  said: readonly StoredPost[],
  { text, note }: TurnEnding,
): Promise<{ readonly said: readonly StoredPost[]; readonly events: LiveEvent[] }> {
  const isNew = text.trim() !== '' && !isPass(text) && !said.some(({ body }) => body.trim() === text.trim())
  const { agentId, chainId, hops, runId } = turn
  const own = isNew
    ? await appendPost(tx, {
        ...{ teamId, runId, at, credential: 'mediated', turnKey: turnKey(exchangeId, turn) },
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
    said: own ? [...said, own.post] : said,
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
  // An agent that was removed meanwhile has no row to come back to.
  if (!(await tx.agents.get(agentId))) return
  await tx.roomMembers.save({ roomId, agentId, cursorSeq, summary, updatedAt })
}

/** The prompt is in the runtime's own record: whatever becomes of the turn, the agent knows the room up to there. */
export function noteDelivered(
  parts: DriverParts,
  at: { readonly exchangeId: string; readonly teamId: string; readonly turn: OpenTurn },
): Promise<void> {
  const { exchangeId, teamId, turn } = at
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

/** A message of a person reached the turn that is under way: the turn answers it too, if its agent owes that. */
export function noteHeard(
  parts: DriverParts,
  at: { readonly exchangeId: string; readonly teamId: string; readonly turn: OpenTurn },
  postId: string,
): Promise<void> {
  return parts.record({ action: null, lock: roomLock(at.teamId) }, async (tx) => {
    const open = await readOpen(tx, at.exchangeId)
    const turn = open?.kept.turn
    if (!open || turn?.runId !== at.turn.runId) return { result: undefined, events: [] }
    const heard = open.kept.exchange.obligations
      .filter((owed) => owed.agentId === turn.agentId && owed.postId === postId)
      .map(({ id }) => id)
    if (heard.length === 0) return { result: undefined, events: [] }
    const answers = [...new Set([...turn.answers, ...heard])]
    await saveKept(tx, { ...open, kept: { ...open.kept, turn: { ...turn, answers } } }, parts.now())
    return { result: undefined, events: [] }
  })
}
