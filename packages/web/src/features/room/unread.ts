import { useSyncExternalStore } from 'react'
import { parseStored, readStored, writeStored } from '../../ui/state/stored-text.ts'
import { createValueStore } from '../../ui/state/value-store.ts'

/** The last post that was read, by team. */
type ReadMarks = Readonly<Record<string, number>>

/** The browser's storage can contain anything. */
export function parseMarks(text: string | null): ReadMarks {
  const marks = Object.entries(parseStored(text)).filter(([, seq]) => Number.isSafeInteger(seq) && (seq as number) >= 0)
  return Object.fromEntries(marks) as ReadMarks
}

/** Merges the read marks of two tabs. */
export function laterMarks(one: ReadMarks, other: ReadMarks): ReadMarks {
  const both = { ...one }
  for (const [teamId, seq] of Object.entries(other)) both[teamId] = Math.max(both[teamId] ?? 0, seq)
  return both
}

/** Whether a room has unread posts. A room that was never opened here has none. */
export function isUnread(mark: number | undefined, head: number | undefined): boolean {
  return mark !== undefined && head !== undefined && mark < head
}

/** The read state of one visit to a room. */
export interface Reading {
  /** The last post that was visible. */
  readonly read: number
  /** The first new post, below the unread line; null = nothing was new. */
  readonly line: number | null
}

/** The state at the start of a visit. A mark beyond the head belongs to a room that was reset. */
export function beginReading(mark: number | undefined, head: number): Reading {
  if (mark === undefined || mark >= head) return { read: head, line: null }
  return { read: mark, line: mark + 1 }
}

/** Marks posts up to this one as visible on a page that the person could see. */
export function sawPost(reading: Reading, seq: number): Reading {
  return seq <= reading.read ? reading : { ...reading, read: seq }
}

/** Adds new posts. If all earlier posts were read and nobody sees the new ones, a new unread line starts. */
export function tookPosts(
  reading: Reading,
  { before, isSeen }: { readonly before: number; readonly isSeen: boolean },
): Reading {
  return isSeen || reading.read < before ? reading : { ...reading, line: before + 1 }
}

const KEY = 'clawboo.rooms-read'

const marks = createValueStore<ReadMarks | null>(null)

/** The last post of a room that was read in this browser; undefined = never opened here. */
export function useReadMark(teamId: string): number | undefined {
  return useSyncExternalStore(follow, () => readMark(teamId))
}

export function readMark(teamId: string): number | undefined {
  return known()[teamId]
}

/** A read mark never moves back, except to the head of a room that was reset. */
export function markRead(teamId: string, seq: number, head = Number.POSITIVE_INFINITY): void {
  const before = laterMarks(known(), parseMarks(readStored(KEY)))
  const mark = Math.min(Math.max(before[teamId] ?? 0, seq), head)
  if (mark === marks.get()?.[teamId]) return
  const next = { ...before, [teamId]: mark }
  writeStored(KEY, JSON.stringify(next))
  marks.set(next)
}

function known(): ReadMarks {
  const current = marks.get()
  if (current) return current
  const stored = parseMarks(readStored(KEY))
  marks.set(stored)
  return stored
}

/** Other tabs also update the read marks. */
function follow(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === KEY) marks.set(laterMarks(known(), parseMarks(event.newValue)))
  }
  window.addEventListener('storage', onStorage)
  const leave = marks.subscribe(listener)
  return () => {
    window.removeEventListener('storage', onStorage)
    leave()
  }
}
