import { endsRun, type RunEntry } from '@clawboo/core/executor'
import { endRun } from '../executor/run/end-run.ts'
import type { RunEnd } from '../store/repositories/runs/runs-repository.ts'
import { roomLock } from './append-post.ts'
import { closeTurn, type TurnEnding } from './close-turn.ts'
import type { DriverParts } from './exchange-parts.ts'
import type { OpenExchange, OpenTurn } from './kept-exchange.ts'
import { roomConversation } from './room-conversation.ts'

/** A turn that was cut off this often is not retried: it may be what kills the server. */
const MOST_INTERRUPTIONS = 3

/**
 * Closes a turn that no server drives any more. If the end of its run was stored, its words are posted as usual; if the
 * run was cut off, its obligations remain. The runtime's own record shows whether the prompt arrived.
 */
export async function recoverTurn(parts: DriverParts, open: OpenExchange, turn: OpenTurn): Promise<void> {
  parts.onStep?.('recover')
  const { store, record, instance } = parts
  const entries = (await store.runs.entries([turn.runId])).get(turn.runId) ?? []
  const last = entries.findLast((entry): entry is Last => endsRun(entry))
  const agent = await store.agents.get(turn.agentId)
  const runtime = agent ? parts.runtimes.find(agent.runtime) : null
  // A runtime that cannot be loaded must not keep the room either.
  const adapter = await runtime?.load().catch(() => null)
  const sessionKey = roomConversation(turn.agentId, open.row.roomId)
  // A runtime that is away must not block the room: an agent that reads the same posts twice loses nothing.
  const hasArrived = agent && adapter?.hasPrompt?.(agent, sessionKey, turn.promptId).catch(() => false)
  const isPromptStored = (await hasArrived) ?? false
  const resume = (last && adapter?.sessionCodec?.encode({ runId: turn.runId, sessionId: last.sessionId })) ?? null
  const recorded = last ? recordedEnding(last) : null
  const { run, ...ending } = recorded ?? cutOff(agent?.displayName ?? turn.agentId, open.kept.interruptions + 1)
  const place = { exchangeId: open.row.id, teamId: open.teamId, turn }
  await record({ action: null, lock: roomLock(open.teamId) }, async (tx) => {
    const endedAt = parts.now()
    const ended = await endRun(tx, instance, turn.runId, { ...run, resume, endedAt })
    const isDelivered = isPromptStored || recorded !== null
    const closed = await closeTurn(tx, instance, place, { ...ending, isDelivered }, endedAt)
    return { result: undefined, events: [...ended.events, ...closed.events] }
  })
}

type Last = RunEntry & { readonly type: 'done' | 'error' }
/** The end of the turn and of its run. */
type RecoveredEnding = Omit<TurnEnding, 'isDelivered'> & { readonly run: Omit<RunEnd, 'endedAt'> }

/** The ending of a run whose last event was stored; null = the server was stopping, so the run was cut off. */
function recordedEnding(last: Last): RecoveredEnding | null {
  const rest = { note: null, isBudgetSpent: false, isInterrupted: false }
  if (last.type === 'error') {
    const { reason, message: detail } = last
    return { ...rest, run: { outcome: 'failed', reason, detail, text: '' }, text: '', note: `A turn failed: ${detail}` }
  }
  const { outcome, reason, text } = last
  if (reason === 'server_stopping') return null
  return { ...rest, run: { outcome, reason, text }, text: outcome === 'completed' ? text : '' }
}

function cutOff(name: string, times: number): RecoveredEnding {
  const run = { outcome: 'interrupted', reason: 'server_died', text: '' } as const
  const isInterrupted = times < MOST_INTERRUPTIONS
  const note = isInterrupted ? null : `${name} did not come to speak: the server stopped ${times} times meanwhile.`
  return { run, text: '', note, isBudgetSpent: false, isInterrupted }
}
