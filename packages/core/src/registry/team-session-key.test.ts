import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTeamSessionKey, teamSessionKey } from './team-session-key.ts'

test('[RG8] an agent has its own session key in every team', () => {
  expect(teamSessionKey('zero', 'launch')).toBe('agent:zero:team:launch')
  const part = fc.stringMatching(/^[a-z0-9-]{1,20}$/)
  fc.assert(
    fc.property(part, part, part, part, (a, t, b, u) => {
      expect(teamSessionKey(a, t) === teamSessionKey(b, u)).toBe(a === b && t === u)
      expect(parseTeamSessionKey(teamSessionKey(a, t))).toEqual({ agentId: a, teamId: t })
    }),
  )
})

test('[RG8] a key of another kind is not a team session', () => {
  expect(parseTeamSessionKey('agent:zero:main')).toBeNull()
})
