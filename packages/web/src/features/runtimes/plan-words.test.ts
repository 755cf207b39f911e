import { expect, test } from 'vitest'
import { missingWords, planWords } from './runtime-words.ts'

const PLAN = {
  participantKind: 'agent',
  home: 'persistent',
  keepsSkills: true,
  keepsMemory: true,
  delivery: 'host',
} as const

test('[RG70] a runtime shows where its Boos live and what persists between runs', () => {
  expect(planWords(PLAN)).toBe('Each Boo has its own folder. Keeps skills and memory between runs.')
  expect(planWords({ ...PLAN, home: 'connected', keepsSkills: false, delivery: 'own-channels' })).toBe(
    'Its Boos live there. Keeps memory between runs. Also delivers over its own channels.',
  )
  expect(planWords({ ...PLAN, home: 'ephemeral', keepsSkills: false, keepsMemory: false })).toBe(
    'Each run starts in a new folder. Keeps no skills or memory between runs.',
  )
  expect(planWords({ ...PLAN, participantKind: 'human' })).toBe('')
})

test('[RG70] a capability that proved missing is shown', () => {
  expect(missingWords({ missingClaims: [] })).toBeNull()
  expect(missingWords({ missingClaims: ['steering', 'somethingNew'] })).toBe(
    "At its last run it couldn't take a message while it works, somethingNew.",
  )
})
