import type { RunEntry } from '@clawboo/core/executor'

export const SPEEDS = [1, 4] as const
export type Speed = (typeof SPEEDS)[number]

/** Longer waits are shortened to this, because nobody watches a command for an hour. */
const LONGEST_PAUSE_MS = 3_000
/** The replay speed of a text; the record does not store its single deltas. */
const CHARACTERS_A_SECOND = 400

/** One step of a replay: `entry` appears at `at`. Texts appear gradually. */
export interface ReplayStep {
  readonly at: number
  readonly lasts: number
  readonly entry: RunEntry
}

export interface Replay {
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
