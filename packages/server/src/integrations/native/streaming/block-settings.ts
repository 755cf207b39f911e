import type { ChunkOptions } from './block-chunker.ts'
import type { CoalesceOptions } from './block-coalescer.ts'
import type { BreakPreference } from './find-cut.ts'

/** What may be set about block streaming; everything has a default. */
export interface BlockStreamSettings {
  /** False: nothing is sent before the end. */
  readonly enabled?: boolean
  /** Send while a text comes, or only when its message is complete. */
  readonly breakAt?: 'text_end' | 'message_end'
  readonly minChars?: number
  readonly maxChars?: number
  readonly breakPreference?: BreakPreference
  /** `newline`: every paragraph is sent by itself. */
  readonly chunkMode?: 'length' | 'newline'
  readonly coalesce?: { readonly minChars?: number; readonly maxChars?: number; readonly idleMs?: number }
  /** How much text the reader's channel takes at once. */
  readonly textLimit?: number
  readonly humanDelay?: 'off' | 'natural' | { readonly minMs: number; readonly maxMs: number }
  readonly sendTimeoutMs?: number
  /** A piece that is nothing but this is never sent. */
  readonly silentReply?: string | null
}

export interface ResolvedBlockSettings {
  readonly enabled: boolean
  readonly breakAt: 'text_end' | 'message_end'
  readonly chunk: ChunkOptions
  readonly coalesce: CoalesceOptions
  readonly pause: { readonly minMs: number; readonly maxMs: number }
  readonly sendTimeoutMs: number
  readonly silentReply: string | null
}

const JOINERS = { paragraph: '\n\n', newline: '\n', sentence: ' ' } as const
/** A fence must fit beside some code. */
const LEAST_MAX_CHARS = 40
const LONGEST_IDLE_MS = 5_000

export function resolveBlockSettings(said: BlockStreamSettings): ResolvedBlockSettings {
  const breakAt = said.breakAt ?? 'text_end'
  const breakPreference = said.breakPreference ?? 'paragraph'
  const chunkMode = said.chunkMode ?? 'length'
  const maxChars = Math.max(
    LEAST_MAX_CHARS,
    Math.min(said.maxChars ?? 1200, said.textLimit ?? Number.POSITIVE_INFINITY),
  )
  const minChars = between(1, said.minChars ?? 800, maxChars)
  const joinedMaxChars = between(1, said.coalesce?.maxChars ?? maxChars, maxChars)
  return {
    enabled: said.enabled ?? false,
    breakAt,
    chunk: { minChars, maxChars, breakPreference, chunkMode, isEager: breakAt === 'text_end' },
    coalesce: {
      minChars: between(1, said.coalesce?.minChars ?? minChars, joinedMaxChars),
      maxChars: joinedMaxChars,
      idleMs: between(0, said.coalesce?.idleMs ?? 1_000, LONGEST_IDLE_MS),
      joiner: JOINERS[breakPreference],
      isPassThrough: chunkMode === 'newline',
    },
    pause: pauseOf(said.humanDelay ?? 'off'),
    sendTimeoutMs: said.sendTimeoutMs ?? 15_000,
    silentReply: said.silentReply ?? null,
  }
}

function pauseOf(delay: NonNullable<BlockStreamSettings['humanDelay']>): { minMs: number; maxMs: number } {
  if (delay === 'off') return { minMs: 0, maxMs: 0 }
  if (delay === 'natural') return { minMs: 800, maxMs: 2_500 }
  const minMs = Math.max(0, delay.minMs)
  return { minMs, maxMs: Math.max(minMs, delay.maxMs) }
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
