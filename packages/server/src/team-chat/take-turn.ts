import { randomUUID } from 'node:crypto'
import type { LiveEvent } from '@clawboo/api/live-event'
import type { LazyRuntime } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { nextStep, PASS_TOKEN, type SpeakStep } from '@clawboo/core/team-chat'
import type { RunControl } from '../executor/run/run-control.ts'
import type { RunEnding } from '../executor/run/run-plan.ts'
import type { Repositories } from '../store/open-store.ts'
import { roomLock } from './append-post.ts'
import { closeTurn, markDelivered, markHeard, type TurnEnding, type TurnPlace } from './close-turn.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged, policyOf } from './exchange-view.ts'
import { gatherTurn } from './gather-turn.ts'
import { type OpenExchange, type OpenTurn, readOpen, saveKept } from './kept-exchange.ts'
import { roomConversation } from './room-conversation.ts'
import { roomPrompt } from './room-prompt.ts'

export interface DueTurn {
  readonly open: OpenExchange
  readonly step: SpeakStep
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: RunControl
}

/** Runs the speaker once. False when the turn could not begin, or another server has taken over the exchange. */
export async function takeTurn(parts: DriverParts, due: DueTurn): Promise<boolean> {
  const { runs, chains, onStep } = parts
  const { open, step, agent, runtime, control } = due
  const { teamId } = open
  onStep?.('gather')
  const { brief, toSeq } = await gatherTurn(parts, open, step)
  const { passToken = PASS_TOKEN } = runtime.descriptor.claims
  const runId = randomUUID()
  const place: TurnPlace = { exchangeId: open.row.id, teamId, turn: openTurnOf(step, runId, toSeq) }
  const lock = roomLock(teamId)
  chains.set(runId, { id: step.chainId, hops: step.hops })
  try {
    const run = await runs.open({
      runId,
      agent,
      runtime,
      sessionKey: roomConversation(agent.id, open.row.roomId),
      trigger: 'room',
      teamId,
      lock,
      prompt: ({ toolNames }) => ({ id: runId, text: roomPrompt({ ...brief, tools: toolNames, passToken }) }),
      onOpen: async (tx, { at }) => (control.cause === null ? openTurn(tx, parts, due, place.turn, at) : null),
      onDelivered: (promptId) => delivered(parts, runtime, place, promptId),
      ...(onStep ? { onStep } : {}),
    })
    if (!run) return false
    control.began(run)
    const end = await run.ended
    control.runEnded()
    const ending = endingOf(due, runId, end, await runs.isBudgetSpent(agent, teamId))
    const isClosed = await run.close({
      lock,
      also: (tx, _run, at) => closeTurn(tx, parts.instance, place, ending, at),
    })
    onStep?.('over')
    return isClosed
  } finally {
    chains.delete(runId)
  }
}

function openTurnOf(step: SpeakStep, runId: string, toSeq: number): OpenTurn {
  return {
    runId,
    promptId: runId,
    agentId: step.agentId,
    chainId: step.chainId,
    hops: step.hops,
    turn: step.turn,
    because: step.because,
    answers: step.obligations.map(({ id }) => id),
    toSeq,
  }
}

/**
 * Stores the open turn with the run's row: after a crash, both are there or neither. Returns null when the exchange has
 * changed since the turn was planned.
 */
async function openTurn(
  tx: Repositories,
  { instance }: DriverParts,
  due: DueTurn,
  turn: OpenTurn,
  at: number,
): Promise<readonly LiveEvent[] | null> {
  const { row, teamId } = due.open
  const found = await readOpen(tx, row.id)
  const room = found && (await tx.rooms.get(row.roomId))
  if (!found || !room || found.row.owner !== instance || found.kept.turn) return null
  const step = nextStep(found.kept.exchange, policyOf(room))
  const isStillDue = step.step === 'speak' && step.agentId === turn.agentId && step.chainId === turn.chainId
  if (!isStillDue || step.turn !== turn.turn) return null
  // The prompt was written before these signals of the board, so it has to be written again.
  if (boardSignals(found) !== boardSignals(due.open)) return null
  const { runId, agentId, chainId, hops, because } = turn
  const runs = [...found.kept.runs, { runId, agentId, chainId, hops }]
  const begun = { ...found, kept: { ...found.kept, turn, runs } }
  await saveKept(tx, begun, at)
  return [
    {
      type: 'speaker-selected',
      teamId,
      exchangeId: row.id,
      agentId,
      runId,
      because,
      chainId,
      turn: step.turn,
      bound: step.bound,
    },
    exchangeChanged(begun, room),
  ]
}

function boardSignals({ kept }: OpenExchange): string {
  return JSON.stringify(kept.tasks.map(({ taskId, told }) => [taskId, told]))
}

async function delivered(parts: DriverParts, runtime: LazyRuntime, place: TurnPlace, promptId: string): Promise<void> {
  if (promptId !== place.turn.promptId) return markHeard(parts, place, promptId)
  parts.onStep?.('delivered')
  // A runtime without a record of prompts starts over after a crash, so its agent must be told everything again.
  if (runtime.loaded?.hasPrompt) await markDelivered(parts, place)
}

function endingOf(
  { agent, runtime, control }: DueTurn,
  promptId: string,
  end: RunEnding,
  isBudgetSpent: boolean,
): TurnEnding {
  const { cause } = control
  const { outcome, text } = end
  const isInterrupted = outcome !== 'completed' && (cause === 'server_stopping' || cause === 'not_ours')
  return {
    text: outcome === 'completed' ? text : '',
    note: isInterrupted || isBudgetSpent ? null : noteOf(agent, end),
    // A runtime without a record of prompts loses an interrupted run, so its agent must be told everything again.
    isDelivered: !end.undelivered.includes(promptId) && (!isInterrupted || runtime.loaded?.hasPrompt !== undefined),
    isBudgetSpent,
    isInterrupted,
  }
}

/** The reason for a missing answer, for the person who waits for it. */
function noteOf({ displayName }: AgentRecord, { outcome, reason, detail }: RunEnding): string | null {
  if (outcome === 'completed') return null
  if (outcome === 'aborted') return `${displayName} was stopped before it had spoken.`
  return `${displayName} did not come to speak: ${detail ?? reason ?? outcome}`
}
