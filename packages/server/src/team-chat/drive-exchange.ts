import { ClawbooError } from '@clawboo/core'
import type { LazyRuntime } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { type SpeakStep, teamIdOf } from '@clawboo/core/team-chat'
import { RunControl } from '../executor/run/run-control.ts'
import { runtimeOf } from '../executor/runtimes/find-runner.ts'
import type { StoredExchange } from '../store/repositories/rooms/exchanges-repository.ts'
import { roomLock } from './append-post.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged } from './exchange-view.ts'
import { type OpenExchange, openOf } from './kept-exchange.ts'
import { planStep } from './plan-step.ts'
import { recoverTurn } from './recover-turn.ts'
import { refuseTurn } from './refuse-turn.ts'
import { roomConversation } from './room-conversation.ts'
import type { RoomHands } from './room-hands.ts'
import { holdRoom } from './room-lease.ts'
import { takeTurn } from './take-turn.ts'

/** How long a speaker that is at work elsewhere is waited for before everything is looked at again. */
const WAIT_MS = 2_000

/** Drives the exchanges of a room, one after the other, until none waits. Only where no other server does. */
export async function driveRoom(parts: DriverParts, roomId: string, hands: RoomHands): Promise<void> {
  const { store, log, instance, leaseMs, renewMs: everyMs } = parts
  const lost = () => hands.leave('not_ours')
  const look = () => void lookForStop(parts, hands).catch((error) => log.warn('a room was not looked at', { error }))
  const held = await holdRoom({ rooms: store.rooms, roomId, owner: instance, log, leaseMs, everyMs, look, lost })
  if (!held) return
  try {
    while (!hands.isLeaving) {
      hands.again = false
      const [next] = await store.exchanges.open(roomId)
      if (!next) return
      if (!(await driveExchange(parts, next, hands))) return
    }
  } catch (error) {
    // With its team the room is gone, and with it all that waited there.
    if (!(error instanceof ClawbooError && error.code === 'team_not_found')) throw error
  } finally {
    hands.exchangeId = null
    await held.release()
  }
}

/** The one loop: decides, lets one speak, and decides again. False when it is not this server's to go on with. */
async function driveExchange(parts: DriverParts, next: StoredExchange, hands: RoomHands): Promise<boolean> {
  const row = await begin(parts, next)
  if (!row) return true
  const found = openOf(row)
  if (!found) return giveUp(parts, row)
  hands.exchangeId = row.id
  if (found.kept.turn) await recoverTurn(parts, found, found.kept.turn)
  const at = { exchangeId: row.id, teamId: found.teamId }
  while (!hands.isLeaving) {
    parts.onStep?.('plan')
    const planned = await planStep(parts, at)
    if (planned.plan !== 'speak') return planned.plan === 'ended'
    await letSpeak(parts, planned.open, planned.step, hands)
  }
  return false
}

/** Under the room's lock: who stops it or speaks in it at this moment must not write to a row that has changed hands. */
function begin(parts: DriverParts, { id, roomId }: StoredExchange): Promise<StoredExchange | null> {
  const lock = roomLock(teamIdOf(roomId) ?? roomId)
  return parts.record<StoredExchange | null>({ action: null, lock }, async (tx) => {
    const row = await tx.exchanges.start(id, parts.instance, parts.now())
    const open = row && openOf(row)
    const isBegun = open !== null && open.kept.turn === null
    return { result: row, events: isBegun ? [exchangeChanged(open, await tx.rooms.get(roomId))] : [] }
  })
}

async function letSpeak(parts: DriverParts, open: OpenExchange, step: SpeakStep, hands: RoomHands): Promise<void> {
  const { store, log } = parts
  if (step.warning) log.warn('two lead a team', { teamId: open.teamId, ...step.warning })
  const agent = await store.agents.get(step.agentId)
  // Whoever is gone meanwhile is no participant at the next look.
  if (!agent) return
  const runtime = findRuntime(parts, agent)
  if (runtime instanceof ClawbooError) return refuseTurn(parts, open, step, `${agent.displayName}: ${runtime.message}`)
  if (await parts.runs.isBudgetSpent(agent, open.teamId)) {
    await planStep(parts, { exchangeId: open.row.id, teamId: open.teamId }, [{ type: 'budget_paused' }])
    return
  }
  const control = new RunControl(roomConversation(agent.id, open.row.roomId))
  hands.begin({ control, step })
  const letGo = parts.slots.occupy(agent, control)
  try {
    if (letGo) await takeTurn(parts, { open, step, agent, runtime, control })
    else await someoneFree(parts, control.signal)
  } finally {
    hands.turn = null
    letGo?.()
    control.freed()
  }
}

function findRuntime({ runtimes }: DriverParts, agent: AgentRecord): LazyRuntime | ClawbooError {
  try {
    return runtimeOf(runtimes, agent)
  } catch (error) {
    if (error instanceof ClawbooError) return error
    throw error
  }
}

/** A conversation or a task has the agent: what waits longest there goes first. */
function someoneFree({ slots }: DriverParts, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop()
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const stop = slots.onFree(done)
    const timer = setTimeout(done, WAIT_MS)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}

/** What a person stopped through another server ends here too. */
async function lookForStop({ store }: DriverParts, hands: RoomHands): Promise<void> {
  if (hands.exchangeId === null || hands.turn === null) return
  const row = await store.exchanges.get(hands.exchangeId)
  const open = row && openOf(row)
  if (!open || !hands.turn) return
  const { chainId } = hands.turn.step
  const { halted, chains } = open.kept.exchange
  const isChainStopped = chains.some(({ id, ended }) => id === chainId && ended === 'stopped')
  if (halted === 'aborted' || isChainStopped) hands.stopTurn('aborted_by_person')
}

/** Nobody can go on with what nobody can read; what waits behind it goes on. */
async function giveUp({ store, instance, now, log }: DriverParts, { id }: StoredExchange): Promise<boolean> {
  log.error('an exchange could not be read and is over', { exchangeId: id })
  await store.exchanges.end(id, instance, { reason: 'aborted', at: now() })
  return true
}
