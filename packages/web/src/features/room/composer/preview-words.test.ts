import { expect, test } from 'vitest'
import type { RoomPreview } from '../../../api/room/room-actions.ts'
import { boundWords, droppedWords, nobodyWords, previewedBoos } from './preview-words.ts'

const preview = (fields: Partial<RoomPreview>): RoomPreview => ({
  joins: false,
  wakes: [],
  dropped: [],
  turnsAtMost: 4,
  estimatedUsd: null,
  mostUsd: null,
  ...fields,
})
const wake = (agentId: string, because: RoomPreview['wakes'][number]['because']) => ({
  agentId,
  because,
  estimatedUsd: null,
})

test('[PG263] each Boo that would reply is named once with all its reasons, followed by those left out', () => {
  const wakes = [wake('ada', 'mention'), wake('kit', 'mention'), wake('ada', 'leader')]
  expect(previewedBoos(preview({ wakes }), ['moss'])).toEqual([
    { agentId: 'ada', why: 'mentioned, leads', isSkipped: false },
    { agentId: 'kit', why: 'mentioned', isSkipped: false },
    { agentId: 'moss', why: 'left out', isSkipped: true },
  ])
})

test('[PG263] an unticked Boo is left out before the next preview arrives', () => {
  expect(previewedBoos(preview({ wakes: [wake('ada', 'leader')] }), ['ada'])).toEqual([
    { agentId: 'ada', why: 'left out', isSkipped: true },
  ])
})

test.each([
  [{ estimatedUsd: null }, 'up to 4 turns · cost unknown'],
  [{ estimatedUsd: 0.06, mostUsd: 0.24 }, 'up to 4 turns · about $0.06, up to $0.24'],
  [{ estimatedUsd: 0.06, mostUsd: null }, 'up to 4 turns · about $0.06'],
  [{ estimatedUsd: 0.06, mostUsd: 0.06, turnsAtMost: 1 }, 'up to 1 turn · about $0.06'],
  [{ estimatedUsd: 0, mostUsd: 0 }, 'up to 4 turns · no cost'],
])('[PG263] the turn limit and the cost of %j have plain words', (fields, words) => {
  expect(boundWords(preview(fields))).toBe(words)
})

test('[PG264] a mentioned Boo that will not reply is named with the reason, unless the person left it out', () => {
  const drop = (agentId: string | null, reason: RoomPreview['dropped'][number]['reason']) => ({
    agentId,
    reason,
    obligationId: null,
    because: 'mention' as const,
    chainId: 'c',
    postId: null,
    taskId: null,
  })
  const dropped = [
    drop('kit', 'already_owed'),
    drop('kit', 'already_owed'),
    drop('ada', 'skipped'),
    drop(null, 'nobody_leads'),
  ]
  expect(droppedWords(dropped, ['ada'], (id) => id.toUpperCase())).toEqual([
    'KIT will not reply: it already has to reply.',
    'No Boo will reply: this team has no leader.',
  ])
})

test('[PG264] when no Boo would reply, the reason is shown', () => {
  expect(nobodyWords({ boos: [], leaderId: null })).toContain('has no Boos')
  expect(nobodyWords({ boos: [{}], leaderId: null })).toContain('Mention a Boo with @')
  expect(nobodyWords({ boos: [{}], leaderId: 'a' })).toBe('No Boo will reply.')
})
