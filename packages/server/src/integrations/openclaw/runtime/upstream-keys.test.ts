import type { AgentRecord } from '@clawboo/core/registry'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPromptKey, promptKey, upstreamSessionKey } from './upstream-keys.ts'

const agent = { id: 'openclaw-ada-1f2e3d', sourceAgentId: 'ada', sessionKey: 'agent:ada:main' } as AgentRecord

test('[OC51] a conversation key always belongs to its own agent at the Gateway and has only plain characters', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((rest) => `agent:${agent.id}:${rest}`),
      ),
      (key) => {
        expect(upstreamSessionKey(agent, key)).toMatch(/^agent:ada:[a-z0-9][a-z0-9:-]{0,120}$/)
      },
    ),
  )
  expect(upstreamSessionKey(agent, 'agent:ada:main')).toBe('agent:ada:main')
  expect(upstreamSessionKey(agent, `agent:${agent.id}:room:7`)).toBe('agent:ada:room:7')
  expect(upstreamSessionKey(agent, 'agent:somebody-else:main')).toMatch(/^agent:ada:clawboo:[0-9a-f]{32}$/)
})

test('[OC51] two conversations of an agent never share a key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      fc.pre(one !== other)
      expect(upstreamSessionKey(agent, one)).not.toBe(upstreamSessionKey(agent, other))
    }),
  )
})

test('[OC52] a prompt has one stable key per session and attempt', () => {
  fc.assert(
    fc.property(fc.string(), fc.uuid(), (session, id) => {
      expect(promptKey(session, id)).toBe(promptKey(session, id))
      expect(promptKey(session, id)).toMatch(/^clawboo-[0-9a-f]{32}$/)
      expect(promptKey(session, id, 2)).toBe(`${promptKey(session, id)}-2`)
      expect([0, 2].map((attempt) => isPromptKey(promptKey(session, id, attempt)))).toEqual([true, true])
      expect(isPromptKey(id)).toBe(false)
      expect(promptKey(`${session}x`, id)).not.toBe(promptKey(session, id))
    }),
  )
})
