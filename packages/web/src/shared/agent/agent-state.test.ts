import { AGENT_STATUSES } from '@clawboo/core/registry'
import { expect, test } from 'vitest'
import { agentState } from './agent-state.ts'

const HOUR = 3_600_000
const NOW = new Date(2026, 2, 10, 14, 30).getTime()
const at = (status: (typeof AGENT_STATUSES)[number], ageMs: number) =>
  agentState({ status, statusAt: NOW - ageMs, createdAt: NOW - 90 * 24 * HOUR }, NOW)

test('[PG12] one function gives the eyes, the tone and the words of every status', () => {
  expect(at('running', HOUR)).toMatchObject({ kind: 'working', eyes: 'working', tone: 'working', pill: 'Working' })
  expect(at('idle', 2 * HOUR)).toMatchObject({ kind: 'idle', eyes: 'idle', tone: 'plain', pill: 'Idle · 2 h' })
  expect(at('idle', 3 * 24 * HOUR)).toMatchObject({ kind: 'idle', eyes: 'stopped', pill: 'Idle · 3 d' })
  expect(at('unknown', 28 * 60_000)).toMatchObject({ eyes: 'unknown', pill: 'Unknown since 14:02' })
  expect(at('error', HOUR)).toMatchObject({ kind: 'failed', eyes: 'bad', tone: 'bad', pill: 'Failed' })
  expect(at('sleeping', HOUR)).toMatchObject({ kind: 'asleep', eyes: 'stopped', pill: 'Asleep' })
})

test('[PG12] every status has a word, and a Boo that never ran shows no age', () => {
  for (const status of AGENT_STATUSES) expect(at(status, HOUR).word).not.toBe('')
  expect(agentState({ status: 'idle', statusAt: NOW - HOUR, createdAt: NOW - HOUR }, NOW).pill).toBe('Idle')
})

test('[PG101] a Boo that waits for an answer shows that before any other state, unless it is archived', () => {
  const waiting = (status: (typeof AGENT_STATUSES)[number]) =>
    agentState({ status, statusAt: NOW - HOUR, createdAt: NOW - 2 * HOUR }, NOW, true)
  expect(waiting('running')).toMatchObject({ kind: 'waiting', eyes: 'needs', tone: 'needs', pill: 'Needs you' })
  expect(waiting('idle').kind).toBe('waiting')
  expect(waiting('archived').kind).toBe('archived')
})
