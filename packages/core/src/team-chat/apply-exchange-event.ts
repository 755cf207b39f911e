import type { BoardSignal, ExchangeEvent, PersonMessage, TurnPost, TurnTaken, WakeCause } from './exchange-event.ts'
import { countedHops, type ExchangeState, fingerprintOf, uniqueParticipants } from './exchange-state.ts'
import { isPass } from './post.ts'
import {
  dropObligations,
  type ExchangeChange,
  endChain,
  raiseObligations,
  type Wake,
  withChain,
} from './raise-obligations.ts'
import { leaderOf } from './select-speaker.ts'

/**
 * Applies an event to an exchange. Uses no clock and no text: only `to`, the mentions that a person picked, and the board
 * make an agent owe a turn. The same events in the same order give the same state, and a repeated turn counts once.
 */
export function applyExchangeEvent(state: ExchangeState, event: ExchangeEvent): ExchangeChange {
  switch (event.type) {
    case 'message':
      return applyMessage(state, event)
    case 'board':
      return raiseObligations(withChain(state, event.cause.chainId, 'board'), boardWakes(state, event), event.cause)
    case 'post':
      return applyPosts(withChain(state, event.cause.chainId, 'post'), [event.post], event.cause)
    case 'turn':
      return applyTurn(state, event)
    case 'chain_stopped':
      return endChain(state, event.chainId, 'stopped')
    case 'members_changed':
      return changeMembers(state, event.participants)
    case 'budget_paused':
      return unchanged(state.halted === null ? { ...state, halted: 'budget_paused' } : state)
    case 'aborted':
      return unchanged(state.halted === 'aborted' ? state : { ...state, halted: 'aborted' })
  }
}

function applyMessage(state: ExchangeState, { postId, chainId, mentions, skip }: PersonMessage): ExchangeChange {
  // A message starts its chain, so a message whose chain exists is a repetition.
  if (state.chains.some(({ id, ended }) => id === chainId && ended === null)) return unchanged(state)
  // The newest message counts: a mention includes an agent that an earlier message skipped.
  const stillSkipped = state.skipped.filter((agentId) => !mentions.includes(agentId))
  const skipped = [...new Set([...stillSkipped, ...skip])]
  const left = dropObligations({ ...state, skipped }, ({ agentId }) => skipped.includes(agentId), 'skipped')
  const isFirst = state.chains.length === 0
  const wake = { postId, taskId: null, isOwn: false }
  const wakes: Wake[] = mentions.map((agentId) => ({ ...wake, agentId, because: 'mention' }))
  // For the first message the leader is nominated anyway. A later one may arrive when the leader has just spoken and is
  // not nominated, so it creates an obligation.
  if (mentions.length === 0 && !isFirst)
    wakes.push({ ...wake, agentId: leaderOf(state.participants).leaderId, because: 'message' })
  const raised = raiseObligations(withChain(left.state, chainId, 'message'), wakes, { kind: 'person', chainId })
  return { ...raised, dropped: [...left.dropped, ...raised.dropped] }
}

/** An assigned task wakes its assignee. A finished or blocked one wakes the agent that asked for it, or the leader. */
function boardWakes(state: ExchangeState, { signal, taskId, assigneeId, askedById, cause }: BoardSignal): Wake[] {
  const wake = { because: signal, postId: null, taskId }
  const isDoer = (agentId: string | null) => cause.kind === 'agent' && cause.agentId === agentId
  if (signal === 'task_assigned')
    return assigneeId === null ? [] : [{ ...wake, agentId: assigneeId, isOwn: isDoer(assigneeId) }]
  const isOwn = (agentId: string | null) => isDoer(agentId) || (agentId !== null && agentId === assigneeId)
  const asker = state.participants.find(({ agentId }) => agentId === askedById && !isOwn(agentId))
  const agentId = asker?.agentId ?? leaderOf(state.participants).leaderId
  return [{ ...wake, agentId, isOwn: isOwn(agentId) }]
}

function applyTurn(state: ExchangeState, turn: TurnTaken): ExchangeChange {
  const { turnId: id, agentId, chainId } = turn
  if (state.turns.some((known) => known.id === id)) return unchanged(state)
  const posts = turn.posts.filter(({ body }) => !isPass(body))
  const hops = countedHops(turn.hops)
  const known = withChain(state, chainId, 'post')
  const next: ExchangeState = {
    ...known,
    chains: known.chains.map((chain) =>
      chain.id === chainId ? { ...chain, hops: Math.max(chain.hops, hops) } : chain,
    ),
    turns: [...known.turns, { id, agentId, chainId, hops, passed: posts.length === 0 }],
    obligations: known.obligations.filter((owed) => owed.agentId !== agentId || !turn.answers.includes(owed.id)),
  }
  return applyPosts(next, posts, { kind: 'agent', agentId, chainId, hops })
}

function applyPosts(
  state: ExchangeState,
  posts: readonly TurnPost[],
  cause: Extract<WakeCause, { kind: 'agent' }>,
): ExchangeChange {
  let change = unchanged(state)
  for (const { id: postId, body, to } of posts) {
    if (isPass(body)) continue
    const repeats = isRepeat(change.state, cause.agentId, body)
    const before = repeats ? endChain(change.state, cause.chainId, 'repeat') : unchanged(change.state)
    const wakes = to.map(
      (agentId): Wake => ({ agentId, because: 'post', postId, taskId: null, isOwn: agentId === cause.agentId }),
    )
    const after = raiseObligations(withLastPost(before.state, cause.agentId, body), wakes, cause)
    change = {
      state: after.state,
      raised: [...change.raised, ...after.raised],
      dropped: [...change.dropped, ...before.dropped, ...after.dropped],
    }
  }
  return change
}

function isRepeat(state: ExchangeState, agentId: string, body: string): boolean {
  return state.lastPosts.some((last) => last.agentId === agentId && last.fingerprint === fingerprintOf(body))
}

function withLastPost(state: ExchangeState, agentId: string, body: string): ExchangeState {
  const others = state.lastPosts.filter((last) => last.agentId !== agentId)
  return { ...state, lastPosts: [...others, { agentId, fingerprint: fingerprintOf(body) }] }
}

function changeMembers(state: ExchangeState, members: ExchangeState['participants']): ExchangeChange {
  const participants = uniqueParticipants(members)
  const isMember = (agentId: string) => participants.some((participant) => participant.agentId === agentId)
  return dropObligations({ ...state, participants }, ({ agentId }) => !isMember(agentId), 'not_a_member')
}

function unchanged(state: ExchangeState): ExchangeChange {
  return { state, raised: [], dropped: [] }
}
