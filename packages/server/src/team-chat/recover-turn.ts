import { endsRun, type RunEntry } from '@clawboo/core/executor'
import { closeTurn, type TurnEnding } from './close-turn.ts'
import type { DriverParts } from './exchange-parts.ts'
import type { OpenExchange, OpenTurn } from './kept-exchange.ts'
import { roomConversation } from './room-conversation.ts'

/** A turn that was cut off this often is not tried again: it may be what kills the server. */
const MOST_INTERRUPTIONS = 3

/**
 * Closes a turn that nobody drives any more. When all that its run told was kept, its words are posted as they would
 * have been; when it was cut off, it is owed as before. Whether its prompt arrived, the runtime's own record says.
 */
export async function recoverTurn(parts: DriverParts, open: OpenExchange, turn: OpenTurn): Promise<void> {
  parts.onStep?.('recover')
  const { store } = parts
  const entries = (await store.runs.entries([turn.runId])).get(turn.runId) ?? []
  const agent = await store.agents.get(turn.agentId)
  const runtime = agent ? parts.runtimes.find(agent.runtime) : null
  // A runtime that cannot be loaded must not keep the room either.
  const adapter = await runtime?.load().catch(() => null)
  const sessionKey = roomConversation(turn.agentId, open.row.roomId)
  const asked = agent && adapter?.hasPrompt?.(agent, sessionKey, turn.promptId)
  // A runtime that is away must not keep the room: told twice what was said, an agent loses nothing.
  const arrived = (await asked?.catch(() => false)) ?? false
  const last = entries.findLast((entry): entry is Last => endsRun(entry))
  const encoded = last && adapter?.sessionCodec?.encode({ runId: turn.runId, sessionId: last.sessionId })
  const ending = last ? toldEnding(last) : null
  const name = agent?.displayName ?? turn.agentId
  await closeTurn(
    parts,
    { exchangeId: open.row.id, teamId: open.teamId, turn },
    {
      ...(ending ?? cutOff(name, open.kept.interruptions + 1)),
      isDelivered: arrived || ending !== null,
      ...(ending?.run ? { run: { ...ending.run, resume: encoded ?? null } } : {}),
    },
  )
}

type Last = RunEntry & { readonly type: 'done' | 'error' }
type Told = Omit<TurnEnding, 'isDelivered'>

/** The run had come to its end, and only that was not written down; null = it was told to end and had not. */
function toldEnding(last: Last): Told | null {
  const rest = { note: null, isBudgetSpent: false, isInterrupted: false }
  if (last.type === 'error') {
    const { reason, message: detail } = last
    return { ...rest, run: { outcome: 'failed', reason, detail, text: '' }, text: '', note: `A turn failed: ${detail}` }
  }
  const { outcome, reason, text } = last
  if (reason === 'server_stopping') return null
  return { ...rest, run: { outcome, reason, text }, text: outcome === 'completed' ? text : '' }
}

function cutOff(name: string, times: number): Told {
  const run = { outcome: 'interrupted', reason: 'server_died', text: '' } as const
  const isInterrupted = times < MOST_INTERRUPTIONS
  const note = isInterrupted ? null : `${name} did not come to speak: the server stopped ${times} times meanwhile.`
  return { run, text: '', note, isBudgetSpent: false, isInterrupted }
}
