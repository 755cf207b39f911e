import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  DEFAULT_REPEAT_LIMITS,
  FRESH_REPEAT_STATE,
  type ObservedCall,
  observeCompaction,
  observeRound,
  type RepeatVerdict,
  type Round,
  runReasonFor,
} from './repeat-guard.ts'

const read = (path: string, result = 'text', outcome: ObservedCall['outcome'] = 'ok'): ObservedCall => ({
  tool: 'read',
  arguments: { path },
  result,
  outcome,
})

/** The verdicts of a run, up to and including the one that stops it. */
function watch(rounds: Iterable<Round>, state = FRESH_REPEAT_STATE): RepeatVerdict[] {
  const verdicts: RepeatVerdict[] = []
  for (const round of rounds) {
    const verdict = observeRound(verdicts.at(-1)?.state ?? state, round, DEFAULT_REPEAT_LIMITS)
    verdicts.push(verdict)
    if (verdict.verdict === 'stop') break
  }
  return verdicts
}
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const notable = (verdicts: readonly RepeatVerdict[]) =>
  verdicts.flatMap(({ verdict, reason }, at) => (verdict === 'ok' ? [] : [[at + 1, verdict, reason]]))

test('[NR370] equal rounds cause a warning after 10 rounds and stop the run after 20', () => {
  const verdicts = watch(times(40, () => [read('a'), read('b')]))
  expect(notable(verdicts)).toEqual([
    [10, 'warn', 'identical_rounds'],
    [20, 'stop', 'identical_rounds'],
  ])
  expect(verdicts.at(-1)?.message).toBe('the same calls with the same results, 20 times')
})

test('[NR370] the order of arguments and duplicate calls in one answer do not matter', () => {
  const one: ObservedCall = { ...read(''), arguments: { a: 1, b: { c: [1, 2], d: null } } }
  const two: ObservedCall = { ...read(''), arguments: { b: { d: null, c: [1, 2] }, a: 1 } }
  expect(notable(watch(times(40, (n) => (n % 3 === 0 ? [one, one, two] : [two])))).at(-1)).toEqual([
    20,
    'stop',
    'identical_rounds',
  ])
})

test('[NR371] cycles of several rounds stop the run too', () => {
  const cycle = (length: number) => notable(watch(times(60, (n) => [read(String(n % length))])))
  expect(cycle(2)).toEqual([
    [10, 'warn', 'ping_pong'],
    [20, 'stop', 'ping_pong'],
  ])
  expect(cycle(3).at(-1)).toEqual([20, 'stop', 'cycle'])
  expect(cycle(4).at(-1)).toEqual([20, 'stop', 'cycle'])
})

test('[NR372] a call whose result changes is progress, however often it is repeated', () => {
  expect(notable(watch(times(200, (n) => [read('log', `line ${n}`)])))).toEqual([])
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 100 }), (results) => {
      expect(notable(watch(results.map((result) => [read('log', result)])))).toEqual([])
    }),
  )
})

test('[NR372] one different round restarts the count', () => {
  const rounds = times(100, (n) => [n % 15 === 14 ? read('other', String(n)) : read('a')])
  expect(notable(watch(rounds)).some(([, verdict]) => verdict === 'stop')).toBe(false)
})

test('[NR373] three equal rounds right after a compaction stop the run', () => {
  const state = observeCompaction(FRESH_REPEAT_STATE)
  const stopped = watch(
    times(5, () => [read('a')]),
    state,
  )
  expect(notable(stopped).at(-1)).toEqual([3, 'stop', 'compaction_loop_persisted'])
  expect(notable(watch([[read('a')], [read('b')], ...times(5, () => [read('a')])], state))).toEqual([])
  const midRun = observeCompaction(watch(times(9, () => [read('a')])).at(-1)!.state)
  expect(
    notable(
      watch(
        times(9, () => [read('b')]),
        midRun,
      ),
    ).at(-1),
  ).toEqual([3, 'stop', 'compaction_loop_persisted'])
})

test('[NR374] ten rounds with only unknown tools stop the run', () => {
  const rounds = times(40, (n) => [read(String(n), `no such tool ${n}`, 'unknown_tool')])
  expect(notable(watch(rounds))).toEqual([
    [5, 'warn', 'unknown_tool'],
    [10, 'stop', 'unknown_tool'],
  ])
})

test('[NR375] three rounds with only invalid arguments stop the run', () => {
  const bad = (n: number) => read(String(n), `missing ${n}`, 'invalid_arguments')
  expect(notable(watch(times(9, (n) => [bad(n), bad(-n)])))).toEqual([
    [2, 'warn', 'invalid_arguments'],
    [3, 'stop', 'invalid_arguments'],
  ])
  expect(
    notable(watch(times(9, (n) => [n % 3 === 2 ? read(String(n)) : bad(n)]))).some(([, verdict]) => verdict === 'stop'),
  ).toBe(false)
})

test('[NR376] twenty rounds in which every call failed stop the run', () => {
  const failed = (n: number) => [read(String(n), `error ${n}`, n % 2 === 0 ? 'error' : 'unknown_tool')]
  expect(notable(watch(times(40, failed)))).toEqual([
    [10, 'warn', 'tool_errors'],
    [20, 'stop', 'tool_errors'],
  ])
  expect(notable(watch(times(100, (n) => [...failed(n), read(String(n))])))).toEqual([])
  expect([runReasonFor('tool_errors'), runReasonFor('ping_pong')]).toEqual(['tool_errors_limit', 'repeat_limit'])
})

test('[NR377] a call that repeats between other calls causes one warning', () => {
  const rounds = times(90, (n) => [n % 2 === 0 ? read('status') : read(String(n))])
  expect(notable(watch(rounds))).toEqual([[19, 'warn', 'repeated_call']])
})

test('[NR370] the stored state stays small for any run, and an answer without calls changes nothing', () => {
  const round = fc.array(
    fc.tuple(fc.nat(3), fc.nat(2)).map(([path, result]) => read(String(path), String(result))),
    { maxLength: 3 },
  )
  fc.assert(
    fc.property(fc.array(round, { maxLength: 100 }), (rounds) => {
      for (const { state } of watch(rounds)) {
        expect(state.recent.length).toBeLessThanOrEqual(30)
        expect(state.warnedCalls.length).toBeLessThanOrEqual(90)
        expect(observeRound(state, []).state).toBe(state)
      }
    }),
  )
})
