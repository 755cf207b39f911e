import { createHash } from 'node:crypto'
import type { LoopRepeatGuard } from '../loop/loop-ports.ts'

/** One call of a round, with its result. */
export interface ObservedCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The text that the model sees. */
  readonly result: string
  readonly outcome: 'ok' | 'error' | 'unknown_tool' | 'invalid_arguments'
}

/** All tool calls of one answer. */
export type Round = readonly ObservedCall[]

export interface RepeatLimits {
  readonly warning: number
  readonly stop: number
  readonly afterCompaction: number
  readonly unknownTool: number
  readonly invalidArguments: number
  readonly toolErrors: number
}

export const DEFAULT_REPEAT_LIMITS: RepeatLimits = {
  warning: 10,
  stop: 20,
  afterCompaction: 3,
  unknownTool: 10,
  invalidArguments: 3,
  toolErrors: 20,
}

export interface RepeatState {
  /** The newest rounds, newest first: one signature for each distinct call. */
  readonly recent: readonly (readonly string[])[]
  /** Calls that have caused a warning. */
  readonly warnedCalls: readonly string[]
  /** For each cycle length n, how many rounds in a row equal the round n before. */
  readonly streaks: readonly number[]
  readonly unknownTool: number
  readonly invalidArguments: number
  readonly toolErrors: number
  /** Equal rounds since a compaction; null = not counting. */
  readonly sinceCompaction: { readonly signature: string | null; readonly count: number } | null
}

export const FRESH_REPEAT_STATE: RepeatState = {
  recent: [],
  warnedCalls: [],
  streaks: [],
  unknownTool: 0,
  invalidArguments: 0,
  toolErrors: 0,
  sinceCompaction: null,
}

export type RepeatReason =
  | 'identical_rounds'
  | 'ping_pong'
  | 'cycle'
  | 'repeated_call'
  | 'compaction_loop_persisted'
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'tool_errors'

export interface RepeatVerdict {
  readonly state: RepeatState
  readonly verdict: 'ok' | 'warn' | 'stop'
  readonly reason: RepeatReason | null
  /** Shown to the person and to the model. */
  readonly message: string | null
}

/** How many rounds back to look for a repeated call. */
const HISTORY = 30

/** The longest cycle to recognise: a, b, c, d, a, b, c, d, … */
const LONGEST_CYCLE = 4

/**
 * Detects rounds without progress. Two rounds are equal when their tools, arguments and results are equal: polling is
 * progress when the result changes. Warns once, when the count for the warning is reached.
 */
export function observeRound(
  state: RepeatState,
  round: Round,
  limits: RepeatLimits = DEFAULT_REPEAT_LIMITS,
): RepeatVerdict {
  if (round.length === 0) return { state, verdict: 'ok', reason: null, message: null }
  const calls = [...new Set(round.map(signatureOf))]
  const next = advance(state, round, calls)
  const findings = [...countFindings(next, limits), ...cycleFindings(next, limits)]
  const stop = findings.find(({ count, stop }) => count >= stop)
  const warn = findings.find(({ count, warning }) => count === warning) ?? repeatedCall(next, calls, limits)
  const found = stop ?? warn
  if (!found) return { state: next, verdict: 'ok', reason: null, message: null }
  const warnedCalls = [...new Set([...next.warnedCalls, ...next.recent.slice(0, LONGEST_CYCLE).flat()])]
  const message = `${found.words}, ${found.count} times`
  return { state: { ...next, warnedCalls }, verdict: stop ? 'stop' : 'warn', reason: found.reason, message }
}

/** Three equal rounds right after a compaction mean that the summary leads the model back to the same point. */
export function observeCompaction(state: RepeatState): RepeatState {
  return { ...state, sinceCompaction: { signature: null, count: 0 } }
}

function advance(state: RepeatState, round: Round, calls: readonly string[]): RepeatState {
  const signature = calls.join()
  const all = (outcome: ObservedCall['outcome']) => round.every((call) => call.outcome === outcome)
  const isFailed = round.every((call) => call.outcome !== 'ok')
  const streaks = Array.from({ length: LONGEST_CYCLE }, (_, at) =>
    state.recent[at]?.join() === signature ? (state.streaks[at] ?? 0) + 1 : 0,
  )
  const recent = [calls, ...state.recent].slice(0, HISTORY)
  return {
    recent,
    warnedCalls: state.warnedCalls.filter((call) => recent.some((earlier) => earlier.includes(call))),
    streaks,
    unknownTool: all('unknown_tool') ? state.unknownTool + 1 : 0,
    invalidArguments: all('invalid_arguments') ? state.invalidArguments + 1 : 0,
    toolErrors: isFailed ? state.toolErrors + 1 : 0,
    sinceCompaction: watch(state.sinceCompaction, signature),
  }
}

function watch(since: RepeatState['sinceCompaction'], signature: string): RepeatState['sinceCompaction'] {
  if (since === null) return null
  if (since.signature === null || since.signature === signature) return { signature, count: since.count + 1 }
  return null
}

interface Finding {
  readonly reason: RepeatReason
  readonly count: number
  readonly warning: number
  readonly stop: number
  readonly words: string
}

function countFindings(state: RepeatState, limits: RepeatLimits): Finding[] {
  const half = (stop: number) => Math.ceil(stop / 2)
  const counted = (reason: RepeatReason, count: number, stop: number, words: string): Finding => ({
    reason,
    count,
    stop,
    warning: half(stop),
    words,
  })
  return [
    counted(
      'compaction_loop_persisted',
      state.sinceCompaction?.count ?? 0,
      limits.afterCompaction,
      'the same calls with the same results right after a compaction',
    ),
    counted('invalid_arguments', state.invalidArguments, limits.invalidArguments, 'calls with invalid arguments'),
    counted('unknown_tool', state.unknownTool, limits.unknownTool, 'calls to an unknown tool'),
    counted('tool_errors', state.toolErrors, limits.toolErrors, 'rounds in which every call failed'),
  ]
}

function cycleFindings(state: RepeatState, limits: RepeatLimits): Finding[] {
  return state.streaks.flatMap((streak, at) => {
    const period = at + 1
    if (streak === 0) return []
    const reason = period === 1 ? 'identical_rounds' : period === 2 ? 'ping_pong' : 'cycle'
    const words = period === 1 ? 'the same calls with the same results' : `the same ${period} rounds again and again`
    // A cycle that has not completed twice may be a coincidence.
    const count = streak >= period ? streak + period : 0
    return [{ reason, count, warning: limits.warning, stop: limits.stop, words }]
  })
}

/** Finds a call that repeats between other calls. It may be needed, so this only warns, once per call. */
function repeatedCall(state: RepeatState, calls: readonly string[], limits: RepeatLimits): Finding | null {
  for (const call of calls) {
    if (state.warnedCalls.includes(call)) continue
    const count = state.recent.filter((round) => round.includes(call)).length
    const words = `the same call with the same result within ${HISTORY} rounds`
    const { warning } = limits
    if (count >= warning) return { reason: 'repeated_call', count, warning, stop: Number.POSITIVE_INFINITY, words }
  }
  return null
}

function signatureOf(call: ObservedCall): string {
  const text = JSON.stringify([call.tool, sorted(call.arguments), call.outcome, call.result])
  return createHash('sha256').update(text).digest('base64')
}

/** Sorts object keys, so that the order of arguments does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}

/** The reason to report for a stopped run. */
export function runReasonFor(reason: RepeatReason): 'repeat_limit' | 'tool_errors_limit' {
  const isError = reason === 'unknown_tool' || reason === 'invalid_arguments' || reason === 'tool_errors'
  return isError ? 'tool_errors_limit' : 'repeat_limit'
}

/** Why a call never reached a tool. */
export type CallFault = 'unknown_tool' | 'invalid_arguments'

interface RepeatWatch extends LoopRepeatGuard {
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
