import { randomUUID } from 'node:crypto'
import type { LiveEvent } from '@clawboo/api/live-event'
import type { LazyRuntime } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { nextStep, PASS_TOKEN, type SpeakStep } from '@clawboo/core/team-chat'
import type { RunEnding } from '../../executor/run/run-book.ts'
import type { RunControl } from '../../executor/run/run-control.ts'
import type { Repositories } from '../../store/open-store.ts'
import {
  exchangeChanged,
  type OpenExchange,
  policyOf,
  readExchange,
  roomConversation,
  type StoredTurn,
  saveExchange,
} from '../exchange/exchange-record.ts'
import type { ExchangeServices } from '../exchange/exchange-services.ts'
import type { RoomDriver } from '../exchange/room-driver.ts'
import type { SentMessage } from '../exchange/say-to-room.ts'
import { roomLock } from '../posts/append-post.ts'
import { closeTurn, markAnswering, markDelivered, type TurnEnding, type TurnPlace } from './close-turn.ts'
import { gatherTurn, messagePrompt, roomPrompt } from './room-prompt.ts'

interface DueTurn {
  readonly open: OpenExchange
  readonly step: SpeakStep
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly control: RunControl
}

/** Runs the speaker once. False when the turn could not start, or another server has taken over the exchange. */
export async function takeTurn(services: ExchangeServices, due: DueTurn): Promise<boolean> {
  const { runs, chains, onStep } = services
  const { open, step, agent, runtime, control } = due
  const { teamId } = open
  onStep?.('gather')
  const { brief, toSeq } = await gatherTurn(services, open, step)
  const { passToken = PASS_TOKEN } = runtime.descriptor.claims
  const runId = randomUUID()
  const place: TurnPlace = { exchangeId: open.row.id, teamId, turn: newTurn(step, runId, toSeq) }
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
      onOpen: async (tx, { at }) => (control.cause === null ? openTurn(tx, services, due, place.turn, at) : null),
      onDelivered: (promptId) => promptDelivered(services, runtime, place, promptId),
      ...(onStep ? { onStep } : {}),
    })
    if (!run) return false
    control.began(run)
    const end = await run.ended
    control.runEnded()
    // Even without this answer the run must be closed; the next run reads the budget again before it starts.
    const isBudgetSpent = await runs.isBudgetSpent(agent, teamId).catch(() => false)
    const ending = endingOf(due, runId, end, isBudgetSpent)
    const isClosed = await run.close({
      lock,
      also: (tx, _run, at) => closeTurn(tx, services.instance, place, ending, at),
    })
    onStep?.('over')
    return isClosed
  } finally {
    chains.delete(runId)
  }
}

function newTurn(step: SpeakStep, runId: string, toSeq: number): StoredTurn {
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
 * Stores the turn together with the run's row: after a crash, both exist or neither does. Returns null when the
 * exchange has changed since the turn was planned.
 */
async function openTurn(
  tx: Repositories,
  { instance }: ExchangeServices,
  due: DueTurn,
  turn: StoredTurn,
  at: number,
): Promise<readonly LiveEvent[] | null> {
  const { row, teamId } = due.open
  const current = await readExchange(tx, row.id)
  const room = current && (await tx.rooms.get(row.roomId))
  if (!current || !room || current.row.owner !== instance || current.stored.turn) return null
  const step = nextStep(current.stored.exchange, policyOf(room))
  const isStillDue = step.step === 'speak' && step.agentId === turn.agentId && step.chainId === turn.chainId
  if (!isStillDue || step.turn !== turn.turn) return null
  // The prompt lacks signals of the board that arrived since, so the turn has to be planned again.
  if (boardSignals(current) !== boardSignals(due.open)) return null
  const { runId, agentId, chainId, hops, because } = turn
  const runs = [...current.stored.runs, { runId, agentId, chainId, hops }]
  const opened = { ...current, stored: { ...current.stored, turn, runs } }
  await saveExchange(tx, opened, at)
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
    exchangeChanged(opened, room),
  ]
}

function boardSignals({ stored }: OpenExchange): string {
  return JSON.stringify(stored.tasks.map(({ taskId, told }) => [taskId, told]))
}

async function promptDelivered(
  services: ExchangeServices,
  runtime: LazyRuntime,
  place: TurnPlace,
  promptId: string,
): Promise<void> {
  if (promptId !== place.turn.promptId) return markAnswering(services, place, promptId)
  services.onStep?.('delivered')
  // A runtime without a record of prompts starts over after a crash, so its next prompt must include the same posts.
  if (runtime.loaded?.hasPrompt) await markDelivered(services, place)
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
    // A runtime without a record of prompts loses an interrupted run, so its next prompt must include the same posts.
    isDelivered: !end.undelivered.includes(promptId) && (!isInterrupted || runtime.loaded?.hasPrompt !== undefined),
    isBudgetSpent,
    isInterrupted,
  }
}

/** Returns the note that explains to the room why the agent gave no answer. */
function noteOf({ displayName }: AgentRecord, { outcome, reason, detail }: RunEnding): string | null {
  if (outcome === 'completed') return null
  if (outcome === 'aborted') return `${displayName} was stopped before it answered.`
  return `${displayName} could not answer: ${detail ?? reason ?? outcome}`
}

/**
 * Adds a message to the active turn, if its runtime can take messages and the message mentions no other agent. The
 * obligation remains until the delivery, so the next speaker gets the message when this one does not.
 */
export async function steerTurn(
  { store, log }: ExchangeServices,
  driver: RoomDriver,
  { post, exchange }: SentMessage,
): Promise<void> {
  const { turn } = driver
  const run = turn?.control.run
  if (!turn || !run || driver.exchangeId !== exchange.id) return
  if (post.to.length > 0 && !post.to.includes(turn.step.agentId)) return
  const from = post.author.kind === 'person' ? (await store.agents.get(post.author.id))?.displayName : undefined
  const prompt = { id: post.id, text: messagePrompt(from ?? 'The operator', post.body) }
  await run.steer(prompt).catch((error: unknown) => log.warn('a message could not be added to a turn', { error }))
}
