import { ClawbooError } from '@clawboo/core'
import type { LazyRuntime } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { type SpeakStep, teamIdOf } from '@clawboo/core/team-chat'
import { type KeptLease, keepLease } from '../../executor/keep-lease.ts'
import { RunControl } from '../../executor/run/run-control.ts'
import { runtimeOf } from '../../executor/runtimes/find-runner.ts'
import type { StoredExchange } from '../../store/repositories/rooms/exchanges-repository.ts'
import { roomLock } from '../posts/append-post.ts'
import { refuseTurn } from '../turn/close-turn.ts'
import { recoverTurn } from '../turn/recover-turn.ts'
import { takeTurn } from '../turn/take-turn.ts'
import { exchangeChanged, type OpenExchange, parseExchange, roomConversation } from './exchange-record.ts'
import type { ExchangeServices } from './exchange-services.ts'
import { planStep } from './plan-step.ts'
import type { RoomDriver } from './room-driver.ts'

const ROOM_LEASE_MS = 30_000
const ROOM_RENEW_MS = 5_000
/** The longest wait for a busy speaker before the next step is planned again. */
const WAIT_MS = 2_000

/**
 * Drives the exchanges of a room, one after the other, until none is left. Does nothing when another server is driving
 * them.
 */
export async function driveRoom(services: ExchangeServices, roomId: string, driver: RoomDriver): Promise<void> {
  const { store, instance } = services
  const lease = await leaseRoom(services, roomId, driver)
  if (!lease) return
  try {
    while (!driver.isStopping) {
      driver.mustCheckAgain = false
      const [next] = await store.exchanges.open(roomId)
      if (!next) return
      if (!(await driveExchange(services, next, driver))) return
    }
  } catch (error) {
    // A removed team no longer has a room or exchanges.
    if (!(error instanceof ClawbooError && error.code === 'team_not_found')) throw error
  } finally {
    driver.exchangeId = null
    if (lease.stop()) await store.rooms.releaseLease({ roomId, owner: instance })
  }
}

/** null when another server has the room. */
async function leaseRoom(services: ExchangeServices, roomId: string, driver: RoomDriver): Promise<KeptLease | null> {
  const { store, log, instance: owner, leaseMs = ROOM_LEASE_MS, renewMs = ROOM_RENEW_MS } = services
  const takenAt = performance.now()
  if (!(await store.rooms.takeLease({ roomId, owner, leaseMs }))) return null
  return keepLease({
    renew: () => store.rooms.renewLease({ roomId, owner, leaseMs }),
    leaseMs,
    everyMs: renewMs,
    takenAt,
    onError: (error) => log.warn('the lease of a room was not renewed', { roomId, error }),
    onLost: () => driver.stop('not_ours'),
    afterRenewal: () =>
      void checkForStop(services, driver).catch((error: unknown) =>
        log.warn('the exchange of a room could not be read', { roomId, error }),
      ),
  })
}

/** The only loop: plans a step, runs the speaker, and plans again. False when this server must not continue. */
async function driveExchange(services: ExchangeServices, next: StoredExchange, driver: RoomDriver): Promise<boolean> {
  const row = await startExchange(services, next)
  if (!row) return true
  const open = parseExchange(row)
  if (!open) return endUnreadable(services, row)
  driver.exchangeId = row.id
  if (open.stored.turn) await recoverTurn(services, open, open.stored.turn)
  while (!driver.isStopping) {
    services.onStep?.('plan')
    const planned = await planStep(services, { exchangeId: row.id, teamId: open.teamId })
    if (planned.plan !== 'speak') return planned.plan === 'ended'
    await runSpeaker(services, planned.open, planned.step, driver)
  }
  return false
}

/** Holds the room's lock: a person who stops or steers the exchange now must not write to a row of the old owner. */
function startExchange(services: ExchangeServices, { id, roomId }: StoredExchange): Promise<StoredExchange | null> {
  const lock = roomLock(teamIdOf(roomId) ?? roomId)
  return services.record<StoredExchange | null>({ action: null, lock }, async (tx) => {
    const row = await tx.exchanges.start(id, services.instance, services.now())
    const open = row && parseExchange(row)
    const isNew = open !== null && open.stored.turn === null
    return { result: row, events: isNew ? [exchangeChanged(open, await tx.rooms.get(roomId))] : [] }
  })
}

async function runSpeaker(
  services: ExchangeServices,
  open: OpenExchange,
  step: SpeakStep,
  driver: RoomDriver,
): Promise<void> {
  const { store, log, slots } = services
  const { teamId } = open
  if (step.warning) log.warn('a team has two leaders', { teamId, ...step.warning })
  const agent = await store.agents.get(step.agentId)
  // A removed agent is no longer a participant when the next step is planned.
  if (!agent) return
  const runtime = findRuntime(services, agent)
  if (runtime instanceof ClawbooError)
    return refuseTurn(services, open, step, `${agent.displayName}: ${runtime.message}`)
  if (await services.runs.isBudgetSpent(agent, teamId)) {
    await planStep(services, { exchangeId: open.row.id, teamId }, [{ type: 'budget_paused' }])
    return
  }
  const control = new RunControl(roomConversation(agent.id, open.row.roomId))
  driver.beginTurn({ control, step })
  const release = slots.occupy(agent, control)
  try {
    if (release) await takeTurn(services, { open, step, agent, runtime, control })
    else await untilSomeAgentIsFree(services, control.signal)
  } finally {
    driver.turn = null
    release?.()
    control.freed()
  }
}

function findRuntime({ runtimes }: ExchangeServices, agent: AgentRecord): LazyRuntime | ClawbooError {
  try {
    return runtimeOf(runtimes, agent)
  } catch (error) {
    if (error instanceof ClawbooError) return error
    throw error
  }
}

/** Waits until the agent is free, at most `WAIT_MS` or until the turn is stopped. */
function untilSomeAgentIsFree({ slots }: ExchangeServices, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stopListening()
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const stopListening = slots.onFree(done)
    const timer = setTimeout(done, WAIT_MS)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}

/** Ends the turn when a person stopped its exchange or its chain through another server. */
async function checkForStop({ store }: ExchangeServices, driver: RoomDriver): Promise<void> {
  if (driver.exchangeId === null || driver.turn === null) return
  const row = await store.exchanges.get(driver.exchangeId)
  const open = row && parseExchange(row)
  if (!open || !driver.turn) return
  const { chainId } = driver.turn.step
  const { halted, chains } = open.stored.exchange
  const isChainStopped = chains.some(({ id, ended }) => id === chainId && ended === 'stopped')
  if (halted === 'aborted' || isChainStopped) driver.stopTurn('aborted_by_person')
}

/** Ends an exchange that cannot be read, so that the next exchanges can run. */
async function endUnreadable(services: ExchangeServices, { id }: StoredExchange): Promise<boolean> {
  const { store, instance, now, log } = services
  log.error('an exchange could not be read and was ended', { exchangeId: id })
  await store.exchanges.end(id, instance, { reason: 'aborted', at: now() })
  return true
}
