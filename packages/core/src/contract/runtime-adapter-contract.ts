import { describe } from 'vitest'
import { describeAborts } from './runtime-adapter/aborts.ts'
import { describeApprovals } from './runtime-adapter/approvals.ts'
import { describeClaims } from './runtime-adapter/claims.ts'
import { describeConversations } from './runtime-adapter/conversations.ts'
import { describeEvents } from './runtime-adapter/events.ts'
import type { RuntimeAdapterFixture } from './runtime-adapter/fixture.ts'
import { describeLent } from './runtime-adapter/lent.ts'
import { describePrompts } from './runtime-adapter/prompts.ts'
import { RunDriver, type WithDriver } from './runtime-adapter/run-driver.ts'
import { describeSpending } from './runtime-adapter/spending.ts'
import { describeTimings } from './runtime-adapter/timings.ts'

/** The contract of every RuntimeAdapter. Takes a factory: each rule gets its own runtime. */
export function describeRuntimeAdapterContract(label: string, open: () => Promise<RuntimeAdapterFixture>): void {
  const withDriver: WithDriver = (work) => async (context) => {
    const driver = new RunDriver(await open())
    try {
      await work(driver, context)
    } finally {
      await driver.close()
    }
  }
  describe(`RuntimeAdapter contract: ${label}`, () => {
    describeClaims(withDriver)
    describeEvents(withDriver)
    describeAborts(withDriver)
    describePrompts(withDriver)
    describeApprovals(withDriver)
    describeSpending(withDriver)
    describeConversations(withDriver)
    describeLent(withDriver)
    describeTimings(withDriver)
  })
}
