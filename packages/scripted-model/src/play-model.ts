import { chooseTurn, type Persona } from './choose-turn.ts'
import type { ScriptedRequest, ScriptedUsage } from './message.ts'
import { playTurn, type TurnContent, type TurnEnd } from './play-turn.ts'

/** Content, then exactly one `end`. */
export type ScriptedPart = TurnContent | ScriptedEnd

export type ScriptedEnd =
  | {
      readonly type: 'end'
      readonly because: 'stop' | 'tool-calls' | 'length' | 'content-filter'
      readonly usage: ScriptedUsage
    }
  /** `status` is null for a broken connection, which can be retried. */
  | {
      readonly type: 'end'
      readonly because: 'failed'
      readonly status: number | null
      readonly message: string
      readonly retryAfter?: number | string
    }
  /** The response stopped in the middle. A reader must not act on its earlier part. */
  | { readonly type: 'end'; readonly because: 'interrupted' }
  | { readonly type: 'end'; readonly because: 'aborted' }

export interface PlayOptions {
  readonly signal?: AbortSignal
  /**
   * The pause after each word of the persona, so that a person can read along and steer. Scripts have their own timing.
   */
  readonly wordDelayMs?: number
  /** Answers prompts without a script instead of the default persona. */
  readonly persona?: Persona
}

export const DEFAULT_WORD_DELAY_MS = 25

/** One call of the model, in process. Never throws because of a script; an abort ends it before the next part. */
export async function* playModel(
  request: ScriptedRequest,
  options: PlayOptions = {},
): AsyncGenerator<ScriptedPart, void> {
  const { signal, wordDelayMs = DEFAULT_WORD_DELAY_MS, persona } = options
  const { by, steps } = chooseTurn(request, persona)
  for (const event of playTurn(steps, request, by === 'persona' ? wordDelayMs : 0)) {
    if (signal?.aborted) break
    if (event.type === 'end') return yield partOf(event)
    if (event.type === 'pause') await pause(event.ms, signal)
    else if (event.type !== 'start' && event.type !== 'raw') yield event
  }
  yield { type: 'end', because: 'aborted' }
}

function partOf(end: TurnEnd): ScriptedEnd {
  switch (end.because) {
    case 'failed': {
      const { status, message, retryAfter } = end.failure
      return { type: 'end', because: 'failed', status, message: message ?? `status ${status}`, retryAfter }
    }
    case 'answer':
      return { type: 'end', because: 'failed', status: end.answer.status, message: end.answer.body ?? '' }
    case 'refused':
      return { type: 'end', because: 'failed', status: null, message: 'The connection was refused.' }
    case 'cut':
      return { type: 'end', because: 'failed', status: null, message: 'The connection was cut.' }
    case 'half-call':
      return { type: 'end', because: 'interrupted' }
    default:
      return { type: 'end', because: end.because, usage: end.usage }
  }
}

/** Waits; returns true when the time has passed, false when the signal fired first. Infinity waits for the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = Number.isFinite(ms) ? setTimeout(() => settle(true), ms) : undefined
    const stop = () => settle(false)
    const settle = (passed: boolean) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(passed)
    }
    signal?.addEventListener('abort', stop)
  })
}
