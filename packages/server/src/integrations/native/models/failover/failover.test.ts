import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FailureKind } from '../model-request.ts'
import { failure } from './classify-failure.ts'
import {
  type Cooldowns,
  chooseCandidates,
  clearProvider,
  coolingUntil,
  mayProbe,
  noCooldowns,
  noteFailure,
  noteProbe,
  noteSuccess,
  type Subject,
} from './cooldown.ts'
import {
  type Candidate,
  candidateChain,
  LONGEST_RETRY_AFTER_MS,
  MAX_RETRIES,
  nextStep,
  refOf,
  summarizeAttempts,
} from './failover.ts'

const model = (ref: string): Candidate => {
  const [provider, name] = ref.split('/')
  return { provider: provider!, model: name! }
}
const subject = (ref = 'a/one', key = 'k'): Subject => ({ ...model(ref), key })
const KINDS = [
  'auth',
  'rate_limit',
  'overloaded',
  'timeout',
  'billing',
  'context_overflow',
  'format',
  'aborted',
  'network',
  'unknown',
] as const
const failed = (kind: FailureKind, rest = {}) => failure(kind, kind, { aborted: kind === 'aborted', ...rest })
const S = 1000
const MIN = 60 * S
const H = 60 * MIN

/** Fails the same subject at the given times. Returns the length of each cooldown. */
function rests(kind: FailureKind, times: readonly number[]): number[] {
  let state = noCooldowns()
  return times.map((now) => {
    state = noteFailure(state, subject(), failed(kind), now, now)
    return (coolingUntil(state, subject(), now)?.until ?? now) - now
  })
}

test('[NR247] the requested model comes first, then the fallbacks, then the default, each once', () => {
  const input = {
    requested: model('a/x'),
    fallbacks: [model('b/y'), model('a/x'), model('c/z')],
    primary: model('d/w'),
  }
  const chain = (rest: Partial<Parameters<typeof candidateChain>[0]>) =>
    candidateChain({ chosenBy: 'default', ...input, ...rest }).map(refOf)
  expect(chain({})).toEqual(['a/x', 'b/y', 'c/z', 'd/w'])
  expect(chain({ primary: model('b/y') })).toEqual(['a/x', 'b/y', 'c/z'])
  expect(chain({ chosenBy: 'fallback' })).toEqual(['a/x', 'b/y', 'c/z', 'd/w'])
  expect(chain({ ownFallbacks: [model('e/v')] })).toEqual(['a/x', 'e/v'])
  expect(chain({ ownFallbacks: [] })).toEqual(['a/x'])
  expect(chain({ chosenBy: 'agent' })).toEqual(['a/x'])
  expect(chain({ chosenBy: 'agent', ownFallbacks: [model('e/v')] })).toEqual(['a/x', 'e/v'])
})

test('[NR247] a person’s choice is tried alone, whatever is configured', () => {
  const input = {
    requested: model('a/x'),
    fallbacks: [model('b/y')],
    primary: model('d/w'),
    ownFallbacks: [model('e/v')],
  }
  expect(candidateChain({ ...input, chosenBy: 'person' }).map(refOf)).toEqual(['a/x'])
})

test('[NR248] another model is tried after these failures only', () => {
  const advances = KINDS.filter(
    (kind) => nextStep({ failure: failed(kind), failures: 9, hasOutput: false, candidatesLeft: 1 }).step === 'advance',
  )
  expect(advances).toEqual(['auth', 'rate_limit', 'overloaded', 'timeout', 'billing', 'network', 'unknown'])
})

test('[NR249] a transient failure is retried a limited number of times, a permanent one never', () => {
  const step = (kind: FailureKind, failures: number, candidatesLeft = 0) =>
    nextStep({ failure: failed(kind), failures, hasOutput: false, candidatesLeft })
  expect([1, 2, 3, 4].map((failures) => step('overloaded', failures))).toEqual([
    { step: 'retry', delayMs: 1000 },
    { step: 'retry', delayMs: 2000 },
    { step: 'retry', delayMs: 4000 },
    { step: 'fail' },
  ])
  expect(step('overloaded', 1, 2)).toEqual({ step: 'advance' })
  expect(step('rate_limit', 1, 1)).toEqual({ step: 'advance' })
  expect([step('network', 1, 1), step('network', 2, 1)]).toEqual([
    { step: 'retry', delayMs: 1000 },
    { step: 'advance' },
  ])
  expect([step('timeout', 1), step('timeout', 2)]).toEqual([{ step: 'retry', delayMs: 1000 }, { step: 'fail' }])
  for (const kind of ['auth', 'billing', 'format', 'context_overflow', 'aborted', 'unknown'] as const)
    expect(step(kind, 1)).toEqual({ step: 'fail' })
})

test('[NR249] the provider’s retry-after is used, up to a minute', () => {
  const delay = (retryAfterMs: number) =>
    nextStep({ failure: failed('rate_limit', { retryAfterMs }), failures: 1, hasOutput: false, candidatesLeft: 0 })
  expect(delay(7000)).toEqual({ step: 'retry', delayMs: 7000 })
  expect(delay(3_600_000)).toEqual({ step: 'retry', delayMs: 60_000 })
})

test('[NR249] a request is never repeated once part of its answer was shown', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.nat(5),
      fc.nat(5),
      fc.option(fc.nat(1e7)),
      (kind, failures, candidatesLeft, retryAfterMs) => {
        const input = { failure: failed(kind, { retryAfterMs }), failures: failures + 1, candidatesLeft }
        expect(nextStep({ ...input, hasOutput: true })).toEqual({ step: 'fail' })
        const next = nextStep({ ...input, hasOutput: false })
        if (next.step === 'retry') expect(next.delayMs).toBeLessThanOrEqual(LONGEST_RETRY_AFTER_MS)
        if (next.step === 'retry') expect(failures + 1).toBeLessThanOrEqual(MAX_RETRIES)
        if (next.step === 'advance') expect(candidatesLeft).toBeGreaterThan(0)
      },
    ),
  )
})

test('[NR250] a cooldown is 30 s, 60 s, then 5 min; for billing 5 h doubling to 24 h; for a refused key 10 min doubling to 60', () => {
  const close = [0, 1, 2, 3, 4]
  for (const kind of ['rate_limit', 'overloaded', 'timeout'] as const)
    expect(rests(kind, close)).toEqual([30 * S, 60 * S, 5 * MIN, 5 * MIN, 5 * MIN])
  expect(rests('billing', close)).toEqual([5 * H, 10 * H, 20 * H, 24 * H, 24 * H])
  expect(rests('auth', close)).toEqual([10 * MIN, 20 * MIN, 40 * MIN, 60 * MIN, 60 * MIN])
})

test('[NR253] an expired cooldown resets the count', () => {
  expect(rests('rate_limit', [0, 10 * S, 70 * S, 71 * S])).toEqual([30 * S, 60 * S, 30 * S, 60 * S])
  expect(rests('billing', [0, 6 * H])).toEqual([5 * H, 5 * H])
})

test('[NR250] a refused key does not extend a billing cooldown, nor the other way round', () => {
  let state = noCooldowns()
  for (const now of [0, 1, 2]) state = noteFailure(state, subject(), failed('auth'), now, now)
  state = noteFailure(state, subject(), failed('billing'), 3, 3)
  expect(coolingUntil(state, subject(), 3)).toMatchObject({ kind: 'billing', count: 1, until: 3 + 5 * H })
})

test('[NR253] concurrent calls count as one failure', () => {
  let state = noCooldowns()
  for (let at = 0; at < 10; at++) state = noteFailure(state, subject(), failed('rate_limit'), 0, 100 + at)
  expect(coolingUntil(state, subject(), 200)).toMatchObject({ count: 1, until: 30_100 })
})

test('[NR251] a rate limit on one model does not affect other models, but a refused key stops all its models', () => {
  for (const kind of ['rate_limit', 'overloaded', 'timeout'] as const) {
    const state = noteFailure(noCooldowns(), subject('a/one'), failed(kind), 0, 0)
    expect(coolingUntil(state, subject('a/one'), 1)).not.toBeNull()
    expect(coolingUntil(state, subject('a/two'), 1)).toBeNull()
  }
  for (const kind of ['auth', 'billing'] as const) {
    const state = noteFailure(noCooldowns(), subject('a/one'), failed(kind), 0, 0)
    expect(coolingUntil(state, subject('a/two'), 1)).not.toBeNull()
    expect(coolingUntil(state, subject('b/one'), 1)).toBeNull()
    expect(coolingUntil(state, subject('a/one', 'new key'), 1)).toBeNull()
  }
})

test('[NR252] an invalid request, an overflow, an abort and a lost connection start no cooldown', () => {
  for (const kind of ['format', 'context_overflow', 'aborted', 'network', 'unknown'] as const)
    expect(noteFailure(noCooldowns(), subject(), failed(kind, { status: 400 }), 0, 0).entries).toEqual([])
})

test('[NR253] an answer ends the cooldown of its model and key, and clearing a provider ends all of its cooldowns', () => {
  let state = noteFailure(noCooldowns(), subject('a/one'), failed('rate_limit'), 0, 0)
  state = noteFailure(state, subject('a/two'), failed('rate_limit'), 0, 0)
  state = noteFailure(state, subject('a/one'), failed('auth'), 0, 0)
  const after = noteSuccess(state, subject('a/one'))
  expect(coolingUntil(after, subject('a/one'), 1)).toBeNull()
  expect(coolingUntil(after, subject('a/two'), 1)).not.toBeNull()
  expect(clearProvider(state, 'a').entries).toEqual([])
})

test('[NR250] a longer retry-after extends the cooldown, up to 5 min', () => {
  const until = (retryAfterMs: number) =>
    coolingUntil(noteFailure(noCooldowns(), subject(), failed('rate_limit', { retryAfterMs }), 0, 0), subject(), 0)
      ?.until
  expect([until(1000), until(90_000), until(10 * H)]).toEqual([30 * S, 90 * S, 5 * MIN])
})

test('[NR254] when everything is cooling down, the first can be tried within 2 min of its end, every 30 s at most', () => {
  let state = noteFailure(noCooldowns(), subject(), failed('auth'), 0, 0)
  expect(mayProbe(state, subject(), 8 * MIN - 1)).toBe(false)
  expect(mayProbe(state, subject(), 8 * MIN)).toBe(true)
  state = noteProbe(state, 'a', 8 * MIN)
  expect(mayProbe(state, subject(), 8 * MIN + 29 * S)).toBe(false)
  expect(mayProbe(state, subject(), 8 * MIN + 30 * S)).toBe(true)
})

const refs = (plan: ReturnType<typeof chooseCandidates>) => plan.ready.map(({ subject: each }) => refOf(each))

test('[NR254] a cooling model is skipped while another is ready, and probed once per provider and run', () => {
  const chain = [subject('a/one'), subject('a/two'), subject('b/one')]
  let state = noteFailure(noCooldowns(), chain[0]!, failed('rate_limit'), 0, 0)
  expect(refs(chooseCandidates(chain, state, 1, { isStrict: false }))).toEqual(['a/two', 'b/one'])
  for (const each of chain) state = noteFailure(state, each, failed('overloaded'), 2, 2)
  expect(chooseCandidates(chain, state, 3, { isStrict: false })).toMatchObject({
    ready: [{ despiteCooldown: 'probe', subject: { model: 'one', provider: 'a' } }],
    cooling: [{}, {}],
  })
  expect(chooseCandidates(chain, state, 3, { isStrict: false, probed: new Set(['a']) }).ready).toEqual([])
})

test('[NR247] a person’s choice is tried even during its cooldown', () => {
  const state = noteFailure(noCooldowns(), subject(), failed('billing'), 0, 0)
  expect(chooseCandidates([subject()], state, 1, { isStrict: true }).ready).toMatchObject([
    { despiteCooldown: 'chosen' },
  ])
  expect(chooseCandidates([subject()], state, 1, { isStrict: false }).ready).toEqual([])
})

test('[NR255] the summary lists every attempt and the time until the first cooldown ends', () => {
  const attempts = [
    { candidate: model('a/one'), failure: failed('rate_limit') },
    { candidate: model('b/two'), failure: failed('auth') },
  ]
  const { message, soonestExpiry } = summarizeAttempts(attempts, 45_000, 0)
  expect(message).toBe('None of 2 models answered. a/one: rate_limit | b/two: auth Try again in 45 s.')
  expect(soonestExpiry).toBe(45_000)
})

test('[NR250] every cooldown ends, no failure shortens one, and no entry exists twice', () => {
  const event = fc.record({
    ref: fc.constantFrom('a/one', 'a/two', 'b/one'),
    kind: fc.constantFrom(...KINDS, 'success' as const),
    wait: fc.nat(6 * H),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let state: Cooldowns = noCooldowns()
      let now = 0
      for (const { ref, kind, wait } of events) {
        now += wait
        const before = coolingUntil(state, subject(ref), now)?.until ?? 0
        if (kind === 'success') state = noteSuccess(state, subject(ref))
        else state = noteFailure(state, subject(ref), failed(kind), now, now)
        const after = coolingUntil(state, subject(ref), now)?.until ?? 0
        if (kind === 'success') expect(after).toBe(0)
        else expect(after).toBeGreaterThanOrEqual(before)
        expect(after - now).toBeLessThanOrEqual(24 * H)
        const keys = state.entries.map((entry) => `${entry.provider}/${entry.model}`)
        expect(new Set(keys).size).toBe(keys.length)
      }
    }),
  )
})
