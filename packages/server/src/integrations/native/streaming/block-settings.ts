import type { ChunkOptions } from './block-chunker.ts'
import type { CoalesceOptions } from './block-coalescer.ts'
import type { BreakPreference } from './find-cut.ts'

/** The settings of block streaming. Every field has a default. */
export interface BlockStreamSettings {
  /** False = text is sent as it arrives, not in blocks. */
  readonly enabled?: boolean
  /** Send while the text arrives, or only when the message is complete. */
  readonly breakAt?: 'text_end' | 'message_end'
  readonly minChars?: number
  readonly maxChars?: number
  readonly breakPreference?: BreakPreference
  /** `newline` sends every paragraph on its own. */
  readonly chunkMode?: 'length' | 'newline'
  readonly coalesce?: { readonly idleMs?: number }
}

export interface ResolvedBlockSettings {
  readonly breakAt: 'text_end' | 'message_end'
  readonly chunk: ChunkOptions
  readonly coalesce: CoalesceOptions
}

const JOINERS = { paragraph: '\n\n', newline: '\n', sentence: ' ' } as const
/** A block must have room for a fence and some code. */
const LEAST_MAX_CHARS = 40
const LONGEST_IDLE_MS = 5_000

export function resolveBlockSettings(settings: BlockStreamSettings): ResolvedBlockSettings {
  const breakAt = settings.breakAt ?? 'text_end'
  const breakPreference = settings.breakPreference ?? 'paragraph'
  const chunkMode = settings.chunkMode ?? 'length'
  const maxChars = Math.max(LEAST_MAX_CHARS, settings.maxChars ?? 1200)
  const minChars = between(1, settings.minChars ?? 800, maxChars)
  return {
    breakAt,
    chunk: { minChars, maxChars, breakPreference, chunkMode, isEager: breakAt === 'text_end' },
    coalesce: {
      minChars,
      maxChars,
      idleMs: between(0, settings.coalesce?.idleMs ?? 1_000, LONGEST_IDLE_MS),
      joiner: JOINERS[breakPreference],
      isPassThrough: chunkMode === 'newline',
    },
  }
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
