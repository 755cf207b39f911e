import type { ExchangeView } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { StoredExchange } from '../../store/repositories/rooms/exchanges-repository.ts'
import type { RoomSettings } from '../../store/repositories/rooms/rooms-repository.ts'
import { createBoardSignals } from '../board/board-signals.ts'
import { roomLock } from '../posts/append-post.ts'
import type { SpeakingPerson } from '../posts/room-members.ts'
import {
  applyEvents,
  exchangeChanged,
  exchangeView,
  type OpenExchange,
  parseExchange,
  saveExchange,
} from './exchange-record.ts'
import type { ExchangeOptions, ExchangeServices } from './exchange-services.ts'
import { RoomDriver } from './room-driver.ts'
import { changeRoomSettings, readRoomSettings } from './room-settings.ts'
import { previewRoom, type RoomMessage, sayToRoom } from './say-to-room.ts'

export type Exchanges = ReturnType<typeof createExchanges>

const POLL_MS = 5_000

/**
 * The exchanges of all rooms. An exchange starts only with a person's message, or with a report if the team has chosen
 * that.
 */
export function createExchanges(options: ExchangeOptions) {
  const { now = Date.now, chains = new Map() } = options
  const services: ExchangeServices = { ...options, now, chains }
  const { store } = services
  const rooms = createRoomDrivers(services)
  const get = async (exchangeId: string) => {
    const row = await store.exchanges.get(exchangeId)
    if (!row) throw notFound(exchangeId)
    return viewOf(services, row)
  }

  return {
    /** Throws `exchange_not_found`. */
    get,
    /** The chain of a run that has a turn on this server; null = the run has none. */
    chainOf: (runId: string) => services.chains.get(runId) ?? null,
    signals: createBoardSignals(services, (teamId) => rooms.drive(roomIdOf(teamId))),
    async say(teamId: string, by: SpeakingPerson, message: RoomMessage) {
      if (rooms.isClosed)
        throw new ClawbooError('server_stopping', 'the server is stopping; send the message again when it is back')
      const sent = await sayToRoom(services, teamId, by, message)
      const driver = rooms.find(roomIdOf(teamId))
      if (sent.joined && driver) await (await import('../turn/take-turn.ts')).steerTurn(services, driver, sent)
      rooms.drive(roomIdOf(teamId))
      return sent
    },
    preview: (teamId: string, message: Pick<RoomMessage, 'to' | 'skip' | 'mode'>) =>
      previewRoom(services, teamId, message),
    async stop(teamId: string, request: StopRequest) {
      const view = await stopExchange(services, teamId, request)
      const driver = rooms.find(roomIdOf(teamId))
      const isItsTurn = request.chainId === undefined || driver?.turn?.step.chainId === request.chainId
      if (driver?.exchangeId === view.id && isItsTurn) driver.stopTurn('aborted_by_person')
      rooms.wakeWaiters()
      return view
    },
    /** The running and the waiting exchanges, in order. */
    async open(teamId: string) {
      const rows = await store.exchanges.open(roomIdOf(teamId))
      return Promise.all(rows.filter((row) => parseExchange(row) !== null).map((row) => viewOf(services, row)))
    },
    /** Resolves when the exchange has ended, on any server. Rejects when the signal is aborted. */
    async whenEnded(exchangeId: string, signal?: AbortSignal) {
      for (;;) {
        signal?.throwIfAborted()
        const view = await get(exchangeId)
        if (view.status === 'ended') return view
        await rooms.untilSomethingEnded(signal)
      }
    },
    settings: (teamId: string) => readRoomSettings(services, teamId),
    configure: (teamId: string, settings: RoomSettings) => changeRoomSettings(services, teamId, settings),
    /** Drives the open exchanges, including those that an earlier process left. */
    start: rooms.start,
    /** Ends every turn and starts no other; the obligations remain. */
    close: rooms.close,
  }
}

async function viewOf({ store }: ExchangeServices, row: StoredExchange): Promise<ExchangeView> {
  const open = parseExchange(row)
  if (!open) throw notFound(row.id)
  return exchangeView(open, await store.rooms.get(row.roomId))
}

function createRoomDrivers(services: ExchangeServices) {
  const { store, log, every = repeat } = services
  const rooms = new Map<string, { readonly driver: RoomDriver; readonly ended: Promise<void> }>()
  const waiters = createWaiters()
  let isClosed = true
  let stopPolling = () => {}

  /** Starts a driver for the room, or lets the existing one check again. */
  const drive = (roomId: string) => {
    if (isClosed) return
    const existing = rooms.get(roomId)
    if (existing) {
      existing.driver.mustCheckAgain = true
      return
    }
    const driver = new RoomDriver()
    // Loaded on demand: a server without exchanges does not need this code in memory.
    const ended = import('./drive-exchange.ts')
      .then(({ driveRoom }) => driveRoom(services, roomId, driver))
      .catch((error: unknown) => log.error('the exchanges of a room could not be driven', { roomId, error }))
      .finally(() => {
        rooms.delete(roomId)
        waiters.wakeAll()
        if (driver.mustCheckAgain) drive(roomId)
      })
    rooms.set(roomId, { driver, ended })
  }
  const driveAll = async () => {
    for (const roomId of new Set((await store.exchanges.open()).map((row) => row.roomId))) drive(roomId)
  }

  return {
    drive,
    find: (roomId: string) => rooms.get(roomId)?.driver ?? null,
    wakeWaiters: waiters.wakeAll,
    untilSomethingEnded: waiters.wait,
    get isClosed() {
      return isClosed
    },
    async start() {
      isClosed = false
      const poll = () =>
        void driveAll().catch((error: unknown) => log.error('the open exchanges could not be read', { error }))
      stopPolling = every(services.pollMs ?? POLL_MS, poll)
      await driveAll()
    },
    async close() {
      isClosed = true
      stopPolling()
      const ending = [...rooms.values()]
      for (const { driver } of ending) driver.stop('server_stopping')
      await Promise.all(ending.map(({ ended }) => ended))
    },
  }
}

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

const WAIT_MS = 1_000

function createWaiters() {
  const waiting = new Set<() => void>()
  return {
    wakeAll() {
      for (const wake of waiting) wake()
    },
    /** Also resolves after `WAIT_MS`: another server may end the exchange without a notice here. */
    wait: (signal: AbortSignal | undefined) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          clearTimeout(timer)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, WAIT_MS)
        waiting.add(wake)
        signal?.addEventListener('abort', wake)
      }),
  }
}

function notFound(exchangeId: string): ClawbooError {
  return new ClawbooError('exchange_not_found', `there is no exchange "${exchangeId}"`, { details: { exchangeId } })
}

/** An exchange, or one chain. Without both, the running exchange. */
interface StopRequest {
  readonly exchangeId?: string | undefined
  readonly chainId?: string | undefined
}

/**
 * Stops an exchange, or everything that follows from one cause. A waiting exchange ends at once; a running one ends
 * when its turn has ended. Throws `exchange_not_found`.
 */
export function stopExchange(services: ExchangeServices, teamId: string, request: StopRequest): Promise<ExchangeView> {
  const { chainId } = request
  const change = { action: 'team-chat.stop', subject: teamId, lock: roomLock(teamId) }
  return services.record<ExchangeView>(change, async (tx) => {
    const rows = await tx.exchanges.open(roomIdOf(teamId))
    const found = rows.flatMap((row) => parseExchange(row) ?? []).find((open) => isRequested(open, request))
    if (!found) throw nothingToStop(request)
    const at = services.now()
    const room = await tx.rooms.get(found.row.roomId)
    const event = chainId === undefined ? ({ type: 'aborted' } as const) : ({ type: 'chain_stopped', chainId } as const)
    const open = applyEvents(found, [event])
    const ended =
      found.row.status === 'queued' &&
      (await tx.exchanges.end(found.row.id, null, { reason: 'aborted', state: open.stored, at }))
    if (!ended) await saveExchange(tx, open, at)
    const after = { ...open, row: ended || open.row }
    return {
      result: exchangeView(after, room),
      events: [exchangeChanged(after, room)],
      detail: { exchangeId: found.row.id, chainId: chainId ?? null },
    }
  })
}

function isRequested({ row, stored }: OpenExchange, { exchangeId, chainId }: StopRequest): boolean {
  if (exchangeId !== undefined && row.id !== exchangeId) return false
  if (chainId !== undefined) return stored.exchange.chains.some(({ id }) => id === chainId)
  return exchangeId !== undefined || row.status === 'running'
}

function nothingToStop({ exchangeId, chainId }: StopRequest): ClawbooError {
  const problem =
    chainId !== undefined
      ? `no open exchange has the chain "${chainId}"`
      : exchangeId !== undefined
        ? `this room has no open exchange "${exchangeId}"`
        : 'no exchange is running in this room'
  return new ClawbooError('exchange_not_found', problem, { details: { exchangeId, chainId } })
}
