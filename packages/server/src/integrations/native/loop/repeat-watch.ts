import {
  DEFAULT_REPEAT_LIMITS,
  FRESH_REPEAT_STATE,
  type ObservedCall,
  observeCompaction,
  observeRound,
  type RepeatLimits,
  runReasonFor,
} from '../context/repeat-guard.ts'
import type { LoopRepeatGuard } from './loop-ports.ts'

/** Why a call never reached a tool. */
export type CallFault = 'unknown_tool' | 'invalid_arguments'

export interface RepeatWatch extends LoopRepeatGuard {
  compacted(): void
}

export function createRepeatWatch(
  faultOf: (callId: string) => CallFault | null,
  limits: RepeatLimits = DEFAULT_REPEAT_LIMITS,
): RepeatWatch {
  let state = FRESH_REPEAT_STATE
  return {
    compacted() {
      state = observeCompaction(state)
    },
    observe(calls, results) {
      const round = calls.map((call, at): ObservedCall => {
        const result = results[at]
        const text = result?.content.map((part) => (part.type === 'text' ? part.text : part.mimeType)).join('\n') ?? ''
        const outcome = faultOf(call.id) ?? (result?.isError ? 'error' : 'ok')
        return { tool: call.name, arguments: call.arguments, result: text, outcome }
      })
      const seen = observeRound(state, round, limits)
      state = seen.state
      if (seen.verdict === 'stop' && seen.reason)
        return { kind: 'stop', reason: runReasonFor(seen.reason), detail: seen.message ?? seen.reason }
      return seen.verdict === 'warn' && seen.message ? { kind: 'go-on', warning: seen.message } : { kind: 'go-on' }
    },
  }
}
