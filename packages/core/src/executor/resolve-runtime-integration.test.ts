import { expect, test } from 'vitest'
import type { Capabilities } from './capabilities.ts'
import { resolveRuntimeIntegration } from './lazy-runtime.ts'

const CONSERVATIVE = {
  home: 'ephemeral',
  keepsSkills: false,
  keepsMemory: false,
  delivery: 'host',
  dispatchable: true,
}

const CLASSES = ['connected-substrate', 'native', 'wrapped-oneshot', 'of-a-later-day', undefined] as const
const ANSWERS = [true, false, undefined] as const

/** Every class, known or unknown, with every combination of the four native claims. */
const combinations = CLASSES.flatMap((runtimeClass) =>
  ANSWERS.flatMap((nativeHome) =>
    ANSWERS.flatMap((nativeSkills) =>
      ANSWERS.flatMap((nativeMemory) =>
        ANSWERS.map(
          (nativeChannels) =>
            ({ runtimeClass, nativeHome, nativeSkills, nativeMemory, nativeChannels }) as Partial<Capabilities>,
        ),
      ),
    ),
  ),
)

test('[EX54] every combination of claims gives a complete plan, and always the same one', () => {
  expect(combinations).toHaveLength(405)
  for (const claims of combinations) {
    const plan = resolveRuntimeIntegration(claims)
    expect(plan).toEqual(resolveRuntimeIntegration({ ...claims }))
    expect(Object.keys(plan).sort()).toEqual(Object.keys(CONSERVATIVE).sort())
    expect(Object.values(plan)).not.toContain(undefined)
  }
})

test('[EX54] a plan depends on the native claims, not on the capabilities of a run', () => {
  const abilities = { streaming: true, mcp: true, worktrees: true, resume: true, steering: true, models: true }
  for (const claims of combinations)
    expect(resolveRuntimeIntegration({ ...claims, ...abilities })).toEqual(resolveRuntimeIntegration(claims))
})

test('[EX55] missing or unknown claims give the plan of one process per run', () => {
  for (const claims of [null, undefined, {}, { runtimeClass: 'of-a-later-day' } as unknown as Capabilities])
    expect(resolveRuntimeIntegration(claims)).toEqual(CONSERVATIVE)
  const oneshot = {
    runtimeClass: 'wrapped-oneshot',
    nativeSkills: true,
    nativeMemory: true,
    nativeChannels: true,
  } as const
  expect(resolveRuntimeIntegration(oneshot)).toEqual(CONSERVATIVE)
})

test('[EX55] only `true` counts as a claim', () => {
  const odd = { nativeHome: 'yes', nativeSkills: 1, nativeMemory: {} } as unknown as Capabilities
  expect(resolveRuntimeIntegration(odd)).toEqual(CONSERVATIVE)
})

test('[EX56] a connected runtime is never dispatched, and only such a runtime may use its own channels', () => {
  for (const claims of combinations) {
    const plan = resolveRuntimeIntegration(claims)
    expect(plan.dispatchable).toBe(claims.runtimeClass !== 'connected-substrate')
    expect(plan.home === 'connected').toBe(claims.runtimeClass === 'connected-substrate')
    if (plan.delivery === 'own-channels') expect(claims).toMatchObject({ runtimeClass: 'connected-substrate' })
  }
  const connected = { runtimeClass: 'connected-substrate', nativeChannels: true } as const
  expect(resolveRuntimeIntegration(connected).delivery).toBe('own-channels')
})

test('[EX57] a persistent home requires the native class or the nativeHome claim, and skills and memory require a home', () => {
  for (const claims of combinations) {
    const { home, keepsSkills, keepsMemory } = resolveRuntimeIntegration(claims)
    const lasts = claims.runtimeClass === 'native' || claims.nativeHome === true
    if (claims.runtimeClass !== 'connected-substrate') expect(home).toBe(lasts ? 'persistent' : 'ephemeral')
    expect(keepsSkills).toBe(home !== 'ephemeral' && claims.nativeSkills === true)
    expect(keepsMemory).toBe(home !== 'ephemeral' && claims.nativeMemory === true)
  }
})
