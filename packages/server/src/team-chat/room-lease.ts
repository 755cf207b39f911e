import type { Log } from '../log.ts'
import type { RoomsRepository } from '../store/repositories/rooms/rooms-repository.ts'

/** A server that speaks in a room says so this often. */
export const ROOM_LEASE_MS = 30_000
export const ROOM_RENEW_MS = 5_000

export interface HeldRoom {
  /** False once another server may have it. */
  readonly isHeld: boolean
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly rooms: Pick<RoomsRepository, 'takeLease' | 'renewLease' | 'releaseLease'>
  readonly roomId: string
  readonly owner: string
  readonly log: Log
  readonly leaseMs?: number | undefined
  readonly everyMs?: number | undefined
  /** Milliseconds that only grow. */
  readonly now?: () => number
  /** Called with each renewal, also when it has failed. */
  readonly look?: () => void
  /** Called once. */
  readonly lost: () => void
}

/** Takes a room and keeps it by the database's clock; null when another server has it. */
export async function holdRoom(options: LeaseOptions): Promise<HeldRoom | null> {
  const { rooms, roomId, owner, log, leaseMs = ROOM_LEASE_MS, everyMs = ROOM_RENEW_MS } = options
  const now = options.now ?? (() => performance.now())
  let renewedAt = now()
  if (!(await rooms.takeLease({ roomId, owner, leaseMs }))) return null
  let isHeld = true
  let looking = false
  const lose = () => {
    if (!isHeld) return
    stop()
    options.lost()
  }
  // Before the next look somebody else may have it.
  const isTooLate = () => now() + everyMs - renewedAt >= leaseMs
  const renew = async () => {
    // A store that does not even refuse must not keep the room.
    if (looking) return isTooLate() ? lose() : undefined
    looking = true
    const askedAt = now()
    try {
      if (await rooms.renewLease({ roomId, owner, leaseMs })) renewedAt = askedAt
      else lose()
    } catch (error) {
      log.warn('the lease of a room was not renewed', { roomId, error })
      if (isTooLate()) lose()
    } finally {
      looking = false
    }
    options.look?.()
  }
  const timer = setInterval(() => void renew(), everyMs).unref()
  const stop = () => {
    isHeld = false
    clearInterval(timer)
  }
  return {
    get isHeld() {
      return isHeld
    },
    async release() {
      if (!isHeld) return
      stop()
      await rooms.releaseLease({ roomId, owner })
    },
  }
}
