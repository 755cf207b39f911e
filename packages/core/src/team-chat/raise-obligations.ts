import { DROP_REASONS, type DroppedWake, type DropReason, type WakeCause } from './exchange-event.ts'
import {
  type Chain,
  type ChainOrigin,
  countedHops,
  type ExchangeState,
  HOP_LIMIT,
  type Obligation,
} from './exchange-state.ts'

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
