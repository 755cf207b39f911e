import type { ExchangeChange } from '@clawboo/core/team-chat'
import type { KeptExchange } from './kept-exchange.ts'

/**
 * An exchange after a signal from outside its turns. Whoever is asked again in the chain that it speaks in just now owes
 * that already, for core; the turn under way was begun without knowing of it, so it must not settle it.
 */
export function afterSignal(kept: KeptExchange, { state, dropped }: ExchangeChange): KeptExchange {
  const { turn } = kept
  const again = dropped.filter(({ reason, agentId }) => reason === 'already_owed' && agentId === turn?.agentId)
  if (!turn || again.length === 0) return { ...kept, exchange: state }
  const stays = state.obligations
    .filter(({ agentId, chainId }) => agentId === turn.agentId && again.some((wake) => wake.chainId === chainId))
    .map(({ id }) => id)
  return { ...kept, exchange: state, turn: { ...turn, answers: turn.answers.filter((id) => !stays.includes(id)) } }
}
