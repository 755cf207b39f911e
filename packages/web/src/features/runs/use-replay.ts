import type { RunEntry } from '@clawboo/core/executor'
import { useEffect, useMemo, useState } from 'react'
import { entriesAt, planReplay, type Speed } from './replay.ts'

export interface ReplayControl {
  readonly entries: readonly RunEntry[]
  readonly length: number
  readonly moment: number
  readonly playing: boolean
  readonly speed: Speed
  readonly atEnd: boolean
  readonly play: () => void
  readonly pause: () => void
  readonly toEnd: () => void
  readonly seek: (moment: number) => void
  readonly setSpeed: (speed: Speed) => void
}

/** Plays a record over time. It starts at the end, because a person wants to see the whole record first. */
export function useReplay(record: readonly RunEntry[]): ReplayControl {
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
    seek: (next) => setPlace(next >= replay.length ? 'end' : next),
    setSpeed,
  }
}
