import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../../ui/state/stored-text.ts'
import { createValueStore } from '../../ui/state/value-store.ts'
import { laterMarks, parseMarks, type ReadMarks } from './unread.ts'

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
