import { expect, it } from 'vitest'
import { CAPABILITIES, missingCapabilities } from '../../executor/index.ts'
import type { WithDriver } from './run-driver.ts'

export function describeClaims(withDriver: WithDriver): void {
  describeAgreement(withDriver)
  describeMethods(withDriver)
}

function describeAgreement(withDriver: WithDriver): void {
  it(
    '[EX13] health returns a state, and the fixture’s runtime is ready',
    withDriver(async ({ adapter }) => {
      const health = await adapter.health()
      expect(health.state, health.detail ?? '').toBe('ready')
    }),
  )

  it(
    '[EX13] the capabilities agreed for an agent match the program and stay the same during a run',
    withDriver(async (driver) => {
      const { adapter, fixture } = driver
      const run = await driver.run([{ say: 'here' }])
      expect(adapter.capabilities(fixture.agent)).toEqual(driver.agreed)
      await run.done()
      expect(adapter.capabilities(fixture.agent)).toEqual(driver.agreed)
    }),
  )

  it(
    '[EX112] the agreed capabilities never exceed the claims, before or after a run',
    withDriver(async (driver) => {
      const { adapter, fixture, claims } = driver
      expect(missingCapabilities(adapter.capabilities(fixture.agent), claims)).toEqual([])
      await (await driver.run([{ say: 'here' }])).done()
      expect(missingCapabilities(adapter.capabilities(fixture.agent), claims)).toEqual([])
    }),
  )
}

function describeMethods(withDriver: WithDriver): void {
  it(
    '[EX14] an optional method exists exactly when its capability is claimed',
    withDriver(async ({ adapter, claims }) => {
      expect({
        steer: adapter.steer !== undefined,
        setModel: adapter.setModel !== undefined,
        answerApproval: adapter.answerApproval !== undefined,
        sessionCodec: adapter.sessionCodec !== undefined,
        listModels: adapter.listModels !== undefined,
        inspect: adapter.inspect !== undefined,
        workspace: adapter.workspace !== undefined,
        endOrphan: adapter.endOrphan !== undefined,
      }).toEqual({
        steer: claims.steering,
        setModel: claims.models,
        answerApproval: claims.toolApproval,
        sessionCodec: claims.resume,
        listModels: claims.ownModels,
        inspect: claims.inspectable,
        workspace: claims.hasWorkspace,
        endOrphan: claims.outlivesHost,
      })
    }),
  )

  it(
    '[EX14] every claim is a boolean, and the class is one of the three',
    withDriver(async ({ claims }) => {
      for (const claim of CAPABILITIES) expect(typeof claims[claim], claim).toBe('boolean')
      expect(['connected-substrate', 'native', 'wrapped-oneshot']).toContain(claims.runtimeClass)
    }),
  )
}
