import type { NativeConfig } from '../agent-config.ts'
import type { ChunkOptions } from './block-chunker.ts'
import type { CoalesceOptions } from './block-coalescer.ts'

/** The settings of block streaming. Every field has a default. */
export type BlockStreamSettings = NonNullable<NativeConfig['blockStreaming']>

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
