import { MESSAGE_MODES, type MessageMode } from './message-record.ts'

/** How a conversation handles messages that arrive while its agent is busy. */
export interface QueueSettings {
  readonly mode: MessageMode
  /** The time without new messages before waiting messages start a run. */
  readonly debounceMs: number
  /** The maximum number of waiting messages. */
  readonly cap: number
  readonly drop: DropPolicy
}

/** What a full queue drops for a new message: the oldest except for a summary line, the oldest, or the new one. */
export type DropPolicy = 'summarize' | 'old' | 'new'

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = { mode: 'steer', debounceMs: 500, cap: 20, drop: 'summarize' }

/** The delays before the retries of a failed batch. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000]

/** null and invalid values count as not set. */
export type PartialQueueSettings = { readonly [K in keyof QueueSettings]?: QueueSettings[K] | null }

/** Each setting comes from the conversation, else from the agent, else from the defaults. */
export function resolveQueueSettings(levels: {
  readonly conversation?: PartialQueueSettings
  readonly agent?: PartialQueueSettings
}): QueueSettings {
  const nearest = <K extends keyof QueueSettings>(name: K, isValid: (value: QueueSettings[K]) => boolean) => {
    for (const level of [levels.conversation, levels.agent]) {
      const value = level?.[name]
      if (value !== undefined && value !== null && isValid(value)) return value
    }
    return DEFAULT_QUEUE_SETTINGS[name]
  }
  return {
    mode: nearest('mode', (mode) => MESSAGE_MODES.includes(mode)),
    debounceMs: nearest('debounceMs', (ms) => Number.isFinite(ms) && ms >= 0),
    cap: Math.floor(nearest('cap', (cap) => Number.isFinite(cap) && cap >= 1)),
    drop: nearest('drop', (drop) => drop === 'summarize' || drop === 'old' || drop === 'new'),
  }
}
