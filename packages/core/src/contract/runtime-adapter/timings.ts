import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DrivenRun } from './driven-run.ts'
import { type RunDriver, settle, type WithDriver } from './run-driver.ts'
import type { RuntimeScriptStep } from './script.ts'

interface Deed {
  /** The number of events to read first. */
  readonly at: number
  readonly what: 'steer' | 'steer twice' | 'abort'
}

const steps: fc.Arbitrary<RuntimeScriptStep> = fc.oneof(
  fc.constantFrom('a word', 'some more words than one').map((say) => ({ say })),
  fc.constant({ callTool: 'quick' as const }),
  fc.integer({ min: 0, max: 3 }).map((wait) => ({ wait })),
)
const deeds: fc.Arbitrary<Deed> = fc.record({
  at: fc.nat({ max: 14 }),
  what: fc.constantFrom('steer', 'steer', 'steer twice', 'abort'),
})

/** `DrivenRun.end` checks the order and the prompts of each of these runs. */
export function describeTimings(withDriver: WithDriver): void {
  it(
    '[EX31] whenever messages and aborts arrive, a run ends once and accounts for every accepted message',
    withDriver(async (driver) => {
      const script = fc.array(steps, { minLength: 1, maxLength: 5 })
      const plan = fc.array(deeds, { maxLength: 6 }).map((list) => list.sort((one, other) => one.at - other.at))
      // Few runs, because each may need a process. No shrinking, because a timing failure does not shrink.
      const usual = Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / 4)
      const parameters = { numRuns: driver.fixture.randomTimings ?? usual, endOnFailure: true }
      await fc.assert(
        fc.asyncProperty(script, plan, (words, list) => playOut(driver, words, list)),
        parameters,
      )
    }),
    600_000,
  )

  it(
    '[EX31] after an abort at any event, the agent can run again',
    withDriver(async (driver) => {
      for (let at = 0; at < 8; at++) await playOut(driver, LONG, [{ at, what: 'abort' }])
      const run = await driver.run([{ say: 'back again' }])
      expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('back again') })
    }),
  )
}

const LONG = [
  { say: 'well now' },
  { callTool: 'quick' },
  { wait: 2 },
  { callTool: 'quick' },
  { say: 'so it is' },
] as const

async function playOut(driver: RunDriver, script: readonly RuntimeScriptStep[], plan: readonly Deed[]): Promise<void> {
  let asked = 0
  const mayCallModel = async () => {
    asked += 1
    return null
  }
  const [callsBefore, seenBefore] = [driver.modelCalls() ?? 0, driver.seenSoFar()]
  const run = await driver.run(script, { guard: { mayCallModel } })
  let aborted = false
  for (const { at, what } of plan) {
    await run.count(at)
    if (what !== 'abort') await steer(driver, run, what === 'steer' ? 1 : 2)
    else {
      aborted = true
      await run.abort()
    }
  }
  const end = await run.done()
  // The abort may come after the last event was created but before it was read.
  expect(aborted ? ['aborted', 'completed'] : ['completed']).toContain(end.outcome)
  if (end.outcome === 'completed') expectSeen(driver, run, seenBefore)
  const askedByThen = asked
  if (aborted) await settle()
  expect(asked).toBe(askedByThen)
  if (asked > 0) expect((driver.modelCalls() ?? 0) - callsBefore).toBeLessThanOrEqual(asked)
}

/** In a completed run the model must really have received each delivered prompt. */
function expectSeen(driver: RunDriver, run: DrivenRun, from: number): void {
  const seen = driver.seenByModel(from)
  if (seen === null) return
  for (const id of run.delivered()) if (id !== run.prompt.id) expect(seen).toContain(words(id))
}

const words = (promptId: string) => `by the way (${promptId})`

async function steer(driver: RunDriver, run: DrivenRun, times: number): Promise<void> {
  if (!driver.adapter.steer) return
  await Promise.all(Array.from({ length: times }, () => run.steer(words)))
}
