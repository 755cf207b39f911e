import { endsRun, type RunEntry } from '@clawboo/core/executor'
import { endRun } from '../../executor/run/run-book.ts'
import type { RunEnd } from '../../store/repositories/runs/runs-repository.ts'
import { type OpenExchange, roomConversation, type StoredTurn } from '../exchange/exchange-record.ts'
import type { ExchangeServices } from '../exchange/exchange-services.ts'
import { roomLock } from '../posts/append-post.ts'
import { closeTurn, type TurnEnding } from './close-turn.ts'

/** A turn that was interrupted this often is not retried: it may be the cause of the crashes. */
const MOST_INTERRUPTIONS = 3

/**
 * Closes a turn that no server is driving. If the end of its run was stored, its text is posted as usual; if the run
 * was interrupted, its obligations remain. The runtime's own record shows whether the prompt arrived.
 */
export async function recoverTurn(services: ExchangeServices, open: OpenExchange, turn: StoredTurn): Promise<void> {
  services.onStep?.('recover')
  const { store, record, instance } = services
  const entries = (await store.runs.entries([turn.runId])).get(turn.runId) ?? []
  const last = entries.findLast((entry): entry is LastEntry => endsRun(entry))
  const agent = await store.agents.get(turn.agentId)
  const runtime = agent ? services.runtimes.find(agent.runtime) : null
  // A runtime that cannot be loaded must not block the room.
  const adapter = await runtime?.load().catch(() => null)
  const sessionKey = roomConversation(turn.agentId, open.row.roomId)
  // An unavailable runtime must not block the room: an agent that reads the same posts twice loses nothing.
  const hasArrived = agent && adapter?.hasPrompt?.(agent, sessionKey, turn.promptId).catch(() => false)
  const isPromptStored = (await hasArrived) ?? false
  const resume = (last && adapter?.sessionCodec?.encode({ runId: turn.runId, sessionId: last.sessionId })) ?? null
  const recorded = last ? recordedEnding(last) : null
  const { run, ...ending } = recorded ?? interruptedEnding(agent?.displayName ?? turn.agentId, open)
  const place = { exchangeId: open.row.id, teamId: open.teamId, turn }
  await record({ action: null, lock: roomLock(open.teamId) }, async (tx) => {
    const endedAt = services.now()
    const ended = await endRun(tx, instance, turn.runId, { ...run, resume, endedAt })
    const isDelivered = isPromptStored || recorded !== null
    const closed = await closeTurn(tx, instance, place, { ...ending, isDelivered }, endedAt)
    return { result: undefined, events: [...ended.events, ...closed.events] }
  })
}

type LastEntry = RunEntry & { readonly type: 'done' | 'error' }
/** The end of the turn and of its run. */
type RecoveredEnding = Omit<TurnEnding, 'isDelivered'> & { readonly run: Omit<RunEnd, 'endedAt'> }

/** The ending of a run whose last event was stored; null = the server was stopping, so the run was interrupted. */
function recordedEnding(last: LastEntry): RecoveredEnding | null {
  if (last.type === 'error') {
    const { reason, message: detail } = last
    return {
      run: { outcome: 'failed', reason, detail, text: '' },
      text: '',
      note: `A turn failed: ${detail}`,
      isBudgetSpent: false,
      isInterrupted: false,
    }
  }
  const { outcome, reason, text } = last
  if (reason === 'server_stopping') return null
  return {
    run: { outcome, reason, text },
    text: outcome === 'completed' ? text : '',
    note: null,
    isBudgetSpent: false,
    isInterrupted: false,
  }
}

function interruptedEnding(name: string, { stored }: OpenExchange): RecoveredEnding {
  const times = stored.interruptions + 1
  const isInterrupted = times < MOST_INTERRUPTIONS
  return {
    run: { outcome: 'interrupted', reason: 'server_died', text: '' },
    text: '',
    note: isInterrupted ? null : `${name} could not answer: the server stopped ${times} times during its turn.`,
    isBudgetSpent: false,
    isInterrupted,
  }
}
