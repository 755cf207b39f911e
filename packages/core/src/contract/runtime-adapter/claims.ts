import { expect, it } from 'vitest'
import type { WithDriver } from './run-driver.ts'

export function describeClaims(withDriver: WithDriver): void {
  it(
    '[EX13] health answers with a state, and the fixture’s runtime is ready',
    withDriver(async ({ adapter }) => {
      const health = await adapter.health()
      expect(health.state, health.detail ?? '').toBe('ready')
    }),
  )

  it(
    '[EX13] claims are the same at every ask, also while an agent runs',
    withDriver(async (driver) => {
      const claims = driver.adapter.capabilities()
      expect(driver.adapter.capabilities()).toEqual(claims)
      const run = await driver.run([{ say: 'here' }])
      expect(driver.adapter.capabilities()).toEqual(claims)
      await run.done()
      expect(driver.adapter.capabilities()).toEqual(claims)
    }),
  )

  it(
    '[EX14] a method that a capability names is there exactly when that is claimed',
    withDriver(async ({ adapter }) => {
      const claims = adapter.capabilities()
      expect({
        steer: adapter.steer !== undefined,
        setModel: adapter.setModel !== undefined,
        answerApproval: adapter.answerApproval !== undefined,
        sessionCodec: adapter.sessionCodec !== undefined,
      }).toEqual({
        steer: claims.steering,
        setModel: claims.models,
        answerApproval: claims.toolApproval,
        sessionCodec: claims.resume,
      })
    }),
  )

  it(
    '[EX14] every claim is a plain yes or no, and the class is one of the three',
    withDriver(async ({ adapter }) => {
      const claims = adapter.capabilities()
      for (const claim of ['streaming', 'mcp', 'worktrees', 'resume', 'steering', 'toolApproval', 'models'] as const)
        expect(typeof claims[claim], claim).toBe('boolean')
      expect(['connected-substrate', 'native', 'wrapped-oneshot']).toContain(claims.runtimeClass)
    }),
  )
}
