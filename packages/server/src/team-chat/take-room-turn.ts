import { randomUUID } from 'node:crypto'
import { type LazyRuntime, trippedBudget } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { nextStep, PASS_TOKEN, type SpeakStep } from '@clawboo/core/team-chat'
import { setStatus } from '../executor/conversation-book.ts'
import type { AttemptControl } from '../executor/dispatch/attempt-control.ts'
import { runTurn } from '../executor/run-turn.ts'
import { readTurnBounds, type Turn, type TurnEnd } from '../executor/turn.ts'
import { createTurnBook, reportLimit } from '../executor/turn-book.ts'
import { roomLock } from './append-post.ts'
import { closeTurn, noteDelivered, noteHeard, type TurnEnding } from './close-turn.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged, policyOf } from './exchange-view.ts'
import { gatherTurn } from './gather-turn.ts'
import { type OpenExchange, type OpenTurn, readOpen, saveKept } from './kept-exchange.ts'
import { roomConversation } from './room-conversation.ts'
import { roomPrompt } from './room-prompt.ts'

export interface RoomTurn {
  readonly open: OpenExchange
  readonly step: SpeakStep
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: AttemptControl
}

const RUN_LEASE_MS = 60_000

/** Takes one turn to its end. False when it could not begin, or is not this server's any more. */
export async function takeRoomTurn(parts: DriverParts, work: RoomTurn): Promise<boolean> {
  const { onStep } = parts
  const { open, step, agent, runtime, control } = work
  const { claims } = runtime.descriptor
  const { teamId } = open
  const runId = randomUUID()
  onStep?.('gather')
  const { brief, toSeq } = await gatherTurn(parts, open, step)
  const sessionKey = roomConversation(agent.id, open.row.roomId)
  const { settings, ...bounds } = await readTurnBounds(parts, agent, sessionKey)
  onStep?.('open-tools')
  const tools = (await parts.tools?.open({ runId, agentId: agent.id, teamId, taskId: null }, claims)) ?? null
  const { agentId, chainId, hops, turn: number, because, obligations } = step
  const answers = obligations.map(({ id }) => id)
  const turn: OpenTurn = {
    ...{ runId, promptId: runId, agentId, chainId, hops, turn: number, because, answers, toSeq },
  }
  const toolNames = tools?.hostTools.tools.map(({ name }) => name) ?? []
  const { passToken = PASS_TOKEN } = claims
  const text = roomPrompt({ ...brief, tools: toolNames, passToken })
  const given: Turn = {
    ...{
      runId,
      agent,
      runtime,
      inputs: parts.inputs,
      sessionKey,
      ...bounds,
      model: settings.model,
      verbose: settings.verbose,
    },
    prompt: { id: runId, text },
    ...(tools ? { hostTools: tools.hostTools } : {}),
  }
  const at = { exchangeId: open.row.id, teamId, turn }
  try {
    onStep?.('open-turn')
    if (control.cause !== null || !(await openTurn(parts, work, turn, given))) return false
    parts.chains.set(runId, { id: chainId, hops })
    onStep?.('start')
    const end = await runToEnd(parts, work, given, at)
    const spent = trippedBudget(bounds.budgets, await parts.limits.spentToday(agent.id, teamId))
    onStep?.('close-turn')
    const closed = await closeTurn(parts, at, endingOf(work, turn, end, spent !== null))
    await reportLimit(parts.attention, agent, runId, end)
    onStep?.('over')
    return closed
  } finally {
    parts.chains.delete(runId)
    await tools
      ?.close()
      .catch((error: unknown) => parts.log.error('the credential of a run was not revoked', { error }))
  }
}

/** The run's row and the open turn are one: from here on a crash finds both or neither. False when things have changed. */
function openTurn(parts: DriverParts, work: RoomTurn, turn: OpenTurn, given: Turn): Promise<boolean> {
  const { row, teamId } = work.open
  return parts.record<boolean>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const found = await readOpen(tx, row.id)
    const room = found && (await tx.rooms.get(row.roomId))
    if (!found || !room || found.row.owner !== parts.instance || found.kept.turn) return { result: false, events: [] }
    const step = nextStep(found.kept.exchange, policyOf(room))
    const isStill = step.step === 'speak' && step.agentId === turn.agentId && step.chainId === turn.chainId
    if (!isStill || step.turn !== turn.turn) return { result: false, events: [] }
    // What the board told since the prompt was written is not in it.
    if (toldOf(found) !== toldOf(work.open)) return { result: false, events: [] }
    const startedAt = parts.now()
    const run = await tx.runs.insert({
      ...{ id: turn.runId, agentId: turn.agentId, teamId, runtime: given.agent.runtime, trigger: 'room', startedAt },
      ...{ sessionKey: given.sessionKey, model: given.model, prompt: given.prompt.text },
      owner: { instance: parts.instance, leaseMs: RUN_LEASE_MS },
    })
    const status = await setStatus(tx, turn.agentId, 'running', startedAt)
    const { runId, agentId, chainId, hops, because } = turn
    const runs = [...found.kept.runs, { runId, agentId, chainId, hops }]
    const begun = { ...found, kept: { ...found.kept, turn, runs } }
    await saveKept(tx, begun, startedAt)
    const selected = { agentId, runId, because, chainId, turn: step.turn, bound: step.bound }
    return {
      result: true,
      events: [
        { type: 'run-started', run },
        ...status,
        { type: 'speaker-selected', teamId, exchangeId: row.id, ...selected },
        exchangeChanged(begun, room),
      ],
    }
  })
}

function toldOf({ kept }: OpenExchange): string {
  return JSON.stringify(kept.tasks.map(({ taskId, told }) => [taskId, told]))
}

async function runToEnd(
  parts: DriverParts,
  { agent, runtime, control }: RoomTurn,
  given: Turn,
  at: { readonly exchangeId: string; readonly teamId: string; readonly turn: OpenTurn },
): Promise<TurnEnd> {
  const stream = parts.streams.open(agent.id, given.runId)
  const owner = { instance: parts.instance, leaseMs: RUN_LEASE_MS }
  // What it costs counts for the team that it speaks in, also when its leader is of none.
  const payer = { runId: given.runId, agent: { ...agent, teamId: at.teamId } }
  const book = createTurnBook({ ...parts, owner }, payer, async (promptId) => {
    if (promptId !== at.turn.promptId) return noteHeard(parts, at, promptId)
    parts.onStep?.('delivered')
    // One that cannot be asked later begins anew after a crash, and knows nothing of what it was told.
    if (runtime.loaded?.hasPrompt) await noteDelivered(parts, at)
  })
  const running = runTurn(given, book, stream)
  control.began(given.runId, running)
  const end = await running.ended
  control.runEnded()
  stream.end()
  return end
}

function endingOf(
  { agent, runtime, control }: RoomTurn,
  turn: OpenTurn,
  end: TurnEnd,
  isBudgetSpent: boolean,
): TurnEnding {
  const { cause } = control
  const isInterrupted = end.outcome !== 'completed' && (cause === 'server_stopping' || cause === 'not_ours')
  const { outcome, reason, detail, text, resume } = end
  return {
    run: { outcome, reason, detail, text, resume },
    text: outcome === 'completed' ? text : '',
    note: isInterrupted || isBudgetSpent ? null : noteOf(agent, end),
    // One that keeps nothing of a run that was cut off is told everything again.
    isDelivered:
      !end.undelivered.includes(turn.promptId) && (!isInterrupted || runtime.loaded?.hasPrompt !== undefined),
    isBudgetSpent,
    isInterrupted,
  }
}

/** A person who waits for an answer has to learn why there is none. */
function noteOf({ displayName }: AgentRecord, { outcome, reason, detail }: TurnEnd): string | null {
  if (outcome === 'completed') return null
  if (outcome === 'aborted') return `${displayName} was stopped before it had spoken.`
  return `${displayName} did not come to speak: ${detail ?? reason ?? outcome}`
}
