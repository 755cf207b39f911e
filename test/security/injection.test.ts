import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSoak, testSeed } from '../seed.ts'
import { type AttackSetup, openAttackSetup } from './attack-setup.ts'
import { fitChannel } from './deliver-payload.ts'
import { findViolations, takeBaseline } from './find-violations.ts'
import { makeCorpus, sampleCorpus } from './payload-corpus.ts'
import { runAttacks } from './run-attacks.ts'

const corpus = makeCorpus(testSeed)
const payloads = isSoak ? corpus : sampleCorpus(corpus, testSeed)
const AT_ONCE = 4

let setup: AttackSetup
beforeAll(async () => {
  const described = payloads.filter(({ channel }) => channel === 'tool description')
  setup = await openAttackSetup(described.map(({ channel, text }) => fitChannel(channel, text)))
}, 180_000)
afterAll(() => setup.close())

test(`[TC140] none of ${payloads.length} hostile texts, each obeyed by the worst model, has an effect that only a person may cause (seed ${testSeed})`, {
  timeout: isSoak ? 7_200_000 : 300_000,
}, async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(600)
  const baseline = takeBaseline(setup)
  const { outcomes, lanes } = await runAttacks(setup, payloads, AT_ONCE)
  const violations = await findViolations(setup, baseline, lanes)
  expect({ seed: testSeed, violations }).toEqual({ seed: testSeed, violations: [] })
  const notObeyed = outcomes.filter(({ state }) => state !== 'done')
  expect(notObeyed.map(({ payload, state }) => [payload.channel, payload.family.name, payload.marker, state])).toEqual(
    [],
  )
  expect(outcomes.length).toBe(payloads.length)
  expect(setup.model.toolCalls).toBeGreaterThan(payloads.length * 4)
})
