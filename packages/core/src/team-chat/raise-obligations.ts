import { DROP_REASONS, type DroppedWake, type DropReason, type WakeCause } from './exchange-event.ts'
import {
  type Chain,
  type ChainOrigin,
  countedHops,
  type ExchangeState,
  HOP_LIMIT,
  type Obligation,
} from './exchange-state.ts'

/** What became of an exchange, and of every wake that was asked for. */
export interface ExchangeChange {
  readonly state: ExchangeState
  readonly raised: readonly Obligation[]
  readonly dropped: readonly DroppedWake[]
}

/** A turn that somebody is asked for; null = the leader, and there is none. */
export interface Wake extends Pick<Obligation, 'because' | 'postId' | 'taskId'> {
  readonly agentId: string | null
  /** The agent's own doing, which never wakes it. */
  readonly isOwn: boolean
}

/** Every wake becomes an obligation or names the reason why it does not. */
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

/** Takes obligations back. */
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

/** Nothing more follows from a chain; one that has ended keeps its reason. */
export function endChain(state: ExchangeState, chainId: string, ended: NonNullable<Chain['ended']>): ExchangeChange {
  const known = withChain(state, chainId, 'message')
  const chains = known.chains.map((chain) => (chain.id === chainId ? { ...chain, ended: chain.ended ?? ended } : chain))
  const reason = ended === 'stopped' ? 'chain_stopped' : 'repeat'
  return dropObligations({ ...known, chains }, (obligation) => obligation.chainId === chainId, reason)
}

/** A chain that was not known begins. */
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
  const holds: Readonly<Record<DropReason, boolean>> = {
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
  return DROP_REASONS.find((reason) => holds[reason]) ?? null
}
