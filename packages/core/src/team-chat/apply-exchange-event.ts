import {
  type BoardSignal,
  type Chain,
  type ChainOrigin,
  countedHops,
  DROP_REASONS,
  type DroppedWake,
  type DropReason,
  type ExchangeEvent,
  type ExchangeState,
  fingerprintOf,
  HOP_LIMIT,
  type Obligation,
  type PersonMessage,
  type TurnPost,
  type TurnTaken,
  uniqueParticipants,
  type WakeCause,
} from './exchange-state.ts'
import { leaderOf } from './next-step.ts'
import { isPass } from './post.ts'

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

/** The exchange after an event, and the outcome of every wake. */
export interface ExchangeChange {
  readonly state: ExchangeState
  readonly raised: readonly Obligation[]
  readonly dropped: readonly DroppedWake[]
}

/** A request for a turn. `agentId` is null when it is for the leader and the team has none. */
export interface Wake extends Pick<Obligation, 'because' | 'postId' | 'taskId'> {
  readonly agentId: string | null
  /** The agent caused the wake itself, so it is not woken. */
  readonly isOwn: boolean
}

/** Every wake becomes an obligation, or is dropped with a reason. */
export function raiseObligations(state: ExchangeState, wakes: readonly Wake[], cause: WakeCause): ExchangeChange {
  const hops = cause.kind === 'agent' ? countedHops(cause.hops) + 1 : 0
  let next = state
  const raised: Obligation[] = []
  const dropped: DroppedWake[] = []
  for (const { agentId, because, postId, taskId, isOwn } of wakes) {
    const wake = { agentId, because, chainId: cause.chainId, postId, taskId }
    const reason = dropReason(next, wake, hops, isOwn)
    if (reason !== null || agentId === null) {
      dropped.push({ obligationId: null, ...wake, reason: reason ?? 'nobody_leads' })
      continue
    }
    const obligation = { id: next.nextObligationId, agentId, because, chainId: cause.chainId, hops, postId, taskId }
    next = {
      ...next,
      obligations: [...next.obligations, obligation],
      nextObligationId: obligation.id + 1,
    }
    raised.push(obligation)
  }
  return { state: next, raised, dropped }
}

/** Removes obligations. */
export function dropObligations(
  state: ExchangeState,
  isDropped: (obligation: Obligation) => boolean,
  reason: DropReason,
): ExchangeChange {
  const dropped = state.obligations.filter(isDropped).map(({ id, agentId, because, chainId, postId, taskId }) => ({
    obligationId: id,
    agentId,
    because,
    chainId,
    postId,
    taskId,
    reason,
  }))
  if (dropped.length === 0) return { state, raised: [], dropped }
  const obligations = state.obligations.filter((obligation) => !isDropped(obligation))
  return { state: { ...state, obligations }, raised: [], dropped }
}

/** Ends a chain and removes its obligations. A chain that has already ended keeps its reason. */
export function endChain(state: ExchangeState, chainId: string, ended: NonNullable<Chain['ended']>): ExchangeChange {
  const known = withChain(state, chainId, 'message')
  const chains = known.chains.map((chain) => (chain.id === chainId ? { ...chain, ended: chain.ended ?? ended } : chain))
  const reason = ended === 'stopped' ? 'chain_stopped' : 'repeat'
  return dropObligations({ ...known, chains }, (obligation) => obligation.chainId === chainId, reason)
}

/** Adds the chain if the exchange does not have it. */
export function withChain(state: ExchangeState, chainId: string, begunBy: ChainOrigin): ExchangeState {
  if (state.chains.some(({ id }) => id === chainId)) return state
  return { ...state, chains: [...state.chains, { id: chainId, begunBy, hops: 0, ended: null }] }
}

function dropReason(
  state: ExchangeState,
  { agentId, because, chainId }: Pick<DroppedWake, 'agentId' | 'because' | 'chainId'>,
  hops: number,
  isOwn: boolean,
): DropReason | null {
  const chain = state.chains.find(({ id }) => id === chainId)
  const applies: Readonly<Record<DropReason, boolean>> = {
    nobody_leads: agentId === null,
    own_post: isOwn && because === 'post',
    own_task: isOwn && because !== 'post',
    not_a_member: !state.participants.some((participant) => participant.agentId === agentId),
    skipped: state.skipped.some((skipped) => skipped === agentId),
    aborted: state.halted === 'aborted',
    chain_stopped: chain?.ended === 'stopped',
    repeat: chain?.ended === 'repeat',
    hop_limit: hops > HOP_LIMIT,
    already_owed: state.obligations.some((owed) => owed.agentId === agentId && owed.chainId === chainId),
  }
  return DROP_REASONS.find((reason) => applies[reason]) ?? null
}
