import type { ExchangeView } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import { roomIdOf, type WakePreview } from '@clawboo/core/team-chat'
import type { StoredExchange } from '../store/repositories/rooms/exchanges-repository.ts'
import type { RoomSettings } from '../store/repositories/rooms/rooms-repository.ts'
import type { PostChain } from './append-post.ts'
import type { LineSignals } from './board-narration.ts'
import { createBoardSignals } from './board-signals.ts'
import type { DriverParts, ExchangeParts } from './exchange-parts.ts'
import { exchangeView } from './exchange-view.ts'
import { openOf } from './kept-exchange.ts'
import type { SpeakingPerson } from './person-author.ts'
import { previewRoom } from './preview-room.ts'
import { RoomHands } from './room-hands.ts'
import { changeRoomSettings, type RoomSettingsView, readRoomSettings } from './room-settings.ts'
import { type RoomMessage, type SentMessage, sayToRoom } from './say-to-room.ts'
import { type StopWish, stopExchange } from './stop-exchange.ts'

/** What people set going in rooms. Nothing runs without one of them, or a report where a team wants that. */
export interface Exchanges {
  say(teamId: string, by: SpeakingPerson, message: RoomMessage): Promise<SentMessage>
  preview(
    teamId: string,
    message: Pick<RoomMessage, 'to' | 'skip' | 'mode'>,
  ): Promise<WakePreview & { readonly joins: boolean }>
  stop(teamId: string, wish: StopWish): Promise<ExchangeView>
  /** Throws `exchange_not_found`. */
  get(exchangeId: string): Promise<ExchangeView>
  /** Those that are under way or wait, in order. */
  open(teamId: string): Promise<readonly ExchangeView[]>
  /** Resolves when it has ended, on whichever server; rejects when the signal is aborted. */
  whenEnded(exchangeId: string, signal?: AbortSignal): Promise<ExchangeView>
  settings(teamId: string): Promise<RoomSettingsView>
  configure(teamId: string, settings: RoomSettings): Promise<RoomSettingsView>
  /** The chain that a run speaks in; null = it takes no turn here. */
  chainOf(runId: string): PostChain | null
  readonly signals: LineSignals
  /** Takes up what waits, also what an earlier process left. */
  start(): Promise<void>
  /** Ends every turn, which stays owed. Starts nothing more. */
  close(): Promise<void>
}

const POLL_MS = 5_000
const LOOK_MS = 1_000

export function createExchanges(options: ExchangeParts): Exchanges {
  const parts: DriverParts = { ...options, now: options.now ?? Date.now, chains: options.chains ?? new Map() }
  const { store, log, every = repeat } = parts
  const rooms = new Map<string, { readonly hands: RoomHands; readonly done: Promise<void> }>()
  const waiting = new Set<() => void>()
  let isClosed = true
  let stopLooking = () => {}

  const drive = (roomId: string) => {
    if (isClosed) return
    const known = rooms.get(roomId)
    if (known) {
      known.hands.again = true
      return
    }
    const hands = new RoomHands()
    // A server in whose rooms nobody speaks does without this code.
    const done = import('./drive-exchange.ts')
      .then(({ driveRoom }) => driveRoom(parts, roomId, hands))
      .catch((error: unknown) => log.error('a room could not be driven', { roomId, error }))
      .finally(() => {
        rooms.delete(roomId)
        for (const wake of waiting) wake()
        if (hands.again) drive(roomId)
      })
    rooms.set(roomId, { hands, done })
  }
  const handsOf = (teamId: string) => rooms.get(roomIdOf(teamId))?.hands ?? null
  const driveAll = async () => {
    for (const roomId of new Set((await store.exchanges.open()).map((row) => row.roomId))) drive(roomId)
  }
  const viewOf = async (row: StoredExchange): Promise<ExchangeView> => {
    const open = openOf(row)
    if (!open) throw notFound(row.id)
    return exchangeView(open, await store.rooms.get(row.roomId))
  }
  const get = async (exchangeId: string) => {
    const row = await store.exchanges.get(exchangeId)
    if (!row) throw notFound(exchangeId)
    return viewOf(row)
  }

  return {
    get,
    chainOf: (runId) => parts.chains.get(runId) ?? null,
    signals: createBoardSignals(parts, (teamId) => drive(roomIdOf(teamId))),
    async say(teamId, by, message) {
      if (isClosed) throw new ClawbooError('server_stopping', 'the server is stopping; say it again when it is back')
      const sent = await sayToRoom(parts, teamId, by, message)
      const hands = handsOf(teamId)
      if (sent.joined && hands) await (await import('./steer-turn.ts')).steerTurn(parts, hands, sent)
      drive(roomIdOf(teamId))
      return sent
    },
    preview: (teamId, message) => previewRoom(parts, teamId, message),
    async stop(teamId, wish) {
      const view = await stopExchange(parts, teamId, wish)
      const hands = handsOf(teamId)
      const isItsTurn = wish.chainId === undefined || hands?.turn?.step.chainId === wish.chainId
      if (hands?.exchangeId === view.id && isItsTurn) hands.stopTurn('aborted_by_person')
      for (const wake of waiting) wake()
      return view
    },
    async open(teamId) {
      const rows = await store.exchanges.open(roomIdOf(teamId))
      return Promise.all(rows.filter((row) => openOf(row) !== null).map(viewOf))
    },
    async whenEnded(exchangeId, signal) {
      for (;;) {
        signal?.throwIfAborted()
        const view = await get(exchangeId)
        if (view.status === 'ended') return view
        await wokenOrLater(waiting, signal)
      }
    },
    settings: (teamId) => readRoomSettings(parts, teamId),
    configure: (teamId, settings) => changeRoomSettings(parts, teamId, settings),
    async start() {
      isClosed = false
      const poll = () => void driveAll().catch((error) => log.error('rooms could not be looked at', { error }))
      stopLooking = every(parts.pollMs ?? POLL_MS, poll)
      await driveAll()
    },
    async close() {
      isClosed = true
      stopLooking()
      const ending = [...rooms.values()]
      for (const { hands } of ending) hands.leave('server_stopping')
      await Promise.all(ending.map(({ done }) => done))
    },
  }
}

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

/** Another server may end it, and tells nobody here. */
function wokenOrLater(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake)
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, LOOK_MS)
    waiting.add(wake)
    signal?.addEventListener('abort', wake)
  })
}

function notFound(exchangeId: string): ClawbooError {
  return new ClawbooError('exchange_not_found', `there is no exchange "${exchangeId}"`, { details: { exchangeId } })
}
