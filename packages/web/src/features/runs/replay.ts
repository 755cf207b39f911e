import type { RunEntry } from '@clawboo/core/executor'
import { useEffect, useMemo, useState } from 'react'

export const SPEEDS = [1, 4] as const
type Speed = (typeof SPEEDS)[number]

/** The longest wait in a replay; longer waits are shortened to it. */
const LONGEST_PAUSE_MS = 3_000
/** The replay speed of a text; the record does not store its single deltas. */
const CHARACTERS_A_SECOND = 400

/** One step of a replay: `entry` appears at `at`. Texts appear gradually. */
interface ReplayStep {
  readonly at: number
  readonly lasts: number
  readonly entry: RunEntry
}

interface Replay {
  readonly steps: readonly ReplayStep[]
  readonly length: number
}

export function planReplay(entries: readonly RunEntry[]): Replay {
  const steps: ReplayStep[] = []
  let at = 0
  let before: number | null = null
  for (const entry of entries) {
    const pause = before === null ? 0 : Math.min(Math.max(0, entry.ts - before), LONGEST_PAUSE_MS)
    const last = steps.at(-1)
    at = Math.max(at + pause, last ? last.at + last.lasts : 0)
    const grows = entry.type === 'text-delta' || entry.type === 'reasoning-delta'
    steps.push({ at, lasts: grows ? (entry.text.length / CHARACTERS_A_SECOND) * 1_000 : 0, entry })
    before = entry.ts
  }
  const end = steps.at(-1)
  return { steps, length: end ? end.at + end.lasts : 0 }
}

/** The entries at a moment of the replay; a growing text is cut at that moment. */
export function entriesAt({ steps, length }: Replay, moment: number): readonly RunEntry[] {
  if (moment >= length) return steps.map(({ entry }) => entry)
  const shown: RunEntry[] = []
  for (const { at, lasts, entry } of steps) {
    if (at > moment) break
    const grown = lasts === 0 ? 1 : (moment - at) / lasts
    if (grown < 1 && (entry.type === 'text-delta' || entry.type === 'reasoning-delta')) {
      shown.push({ ...entry, text: entry.text.slice(0, Math.floor(entry.text.length * grown)) })
    } else shown.push(entry)
  }
  return shown
}

/** Plays a record over time. It starts at the end, because a person wants to see the whole record first. */
export function useReplay(record: readonly RunEntry[]) {
  const replay = useMemo(() => planReplay(record), [record])
  const [place, setPlace] = useState<number | 'end'>('end')
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const moment = place === 'end' ? replay.length : Math.min(place, replay.length)
  const atEnd = moment >= replay.length
  useEffect(() => {
    if (!playing) return
    let before = performance.now()
    let frame = requestAnimationFrame(function step(now) {
      const passed = (now - before) * speed
      before = now
      setPlace((at) => (at === 'end' ? at : at + passed))
      frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [playing, speed])
  useEffect(() => {
    if (playing && atEnd) setPlaying(false)
  }, [playing, atEnd])
  return {
    entries: useMemo(() => (atEnd ? record : entriesAt(replay, moment)), [replay, record, moment, atEnd]),
    length: replay.length,
    moment,
    playing: playing && !atEnd,
    speed,
    atEnd,
    play: () => {
      if (atEnd) setPlace(0)
      setPlaying(true)
    },
    pause: () => setPlaying(false),
    toEnd: () => {
      setPlaying(false)
      setPlace('end')
    },
    seek: (next: number) => setPlace(next >= replay.length ? 'end' : next),
    setSpeed,
  }
}

export type ReplayControl = ReturnType<typeof useReplay>
