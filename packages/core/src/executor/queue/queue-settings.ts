import type { MessageMode } from '../message-record.ts'

/** How a conversation handles messages that arrive while its agent works. */
export interface QueueSettings {
  readonly mode: MessageMode
  /** The time without a new message after which waiting messages start a run. */
  readonly debounceMs: number
  /** How many messages may wait. */
  readonly cap: number
  readonly drop: DropPolicy
}

/** The message that is dropped when the queue is full: the oldest, with a summary; the oldest; or the new one. */
export type DropPolicy = 'summarize' | 'old' | 'new'

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = { mode: 'steer', debounceMs: 500, cap: 20, drop: 'summarize' }

/** How long a failed batch waits before each retry. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000]

/** The settings of one level. null and invalid values count as not set. */
export type PartialQueueSettings = { readonly [K in keyof QueueSettings]?: QueueSettings[K] | null }

/** Each setting comes from the nearest level that sets it: the message, the conversation, the agent, the server. */
export function resolveQueueSettings(levels: {
  readonly message?: PartialQueueSettings
  readonly conversation?: PartialQueueSettings
  readonly agent?: PartialQueueSettings
  readonly server?: PartialQueueSettings
}): QueueSettings {
  const nearestFirst = [levels.message, levels.conversation, levels.agent, levels.server]
  const nearest = <K extends keyof QueueSettings>(name: K, isValid: (value: QueueSettings[K]) => boolean) => {
    for (const level of nearestFirst) {
      const value = level?.[name]
      if (value !== undefined && value !== null && isValid(value)) return value
    }
    return DEFAULT_QUEUE_SETTINGS[name]
  }
  return {
    mode: nearest('mode', (mode) => parseQueueMode(mode) === mode),
    debounceMs: nearest('debounceMs', (ms) => Number.isFinite(ms) && ms >= 0),
    cap: Math.floor(nearest('cap', (cap) => Number.isFinite(cap) && cap >= 1)),
    drop: nearest('drop', (drop) => drop === 'summarize' || drop === 'old' || drop === 'new'),
  }
}

const MODE_NAMES: Readonly<Record<string, MessageMode>> = {
  steer: 'steer',
  steering: 'steer',
  queue: 'steer',
  followup: 'followup',
  followups: 'followup',
  'follow-up': 'followup',
  'follow-ups': 'followup',
  'steer-backlog': 'followup',
  collect: 'collect',
  coalesce: 'collect',
  interrupt: 'interrupt',
  interrupts: 'interrupt',
  abort: 'interrupt',
}

export function parseQueueMode(text: string): MessageMode | null {
  const name = text.trim().toLowerCase()
  return Object.hasOwn(MODE_NAMES, name) ? MODE_NAMES[name]! : null
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `500`, `500ms`, `2s`, `1.5m`, `1h` or `1d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)?$/.exec(text.trim().toLowerCase())
  if (!match) return null
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] ?? 'ms']!)
  return Number.isSafeInteger(ms) ? ms : null
}
