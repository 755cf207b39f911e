import { TASK_STATUSES } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { participantName } from '../agent/participant-name.ts'
import { taskState } from './task-state.ts'

test('[PG278] a task has one word and one colour for its state, on the board and beside a room', () => {
  const states = TASK_STATUSES.map((status) => taskState({ status, failedAt: null }))
  expect(new Set(states.map(({ word }) => word)).size).toBe(TASK_STATUSES.length)
  expect(taskState({ status: 'in_review', failedAt: null })).toEqual({ word: 'In review', tone: 'needs' })
  expect(taskState({ status: 'done', failedAt: null })).toEqual({ word: 'Done', tone: 'good' })
  expect(taskState({ status: 'blocked', failedAt: 1 })).toEqual({ word: 'Failed', tone: 'bad' })
})

test('[PG278] an assignee has the same name everywhere, and no name is an id', () => {
  expect(participantName({ kind: 'person', id: 'operator' }, undefined)).toBe('You')
  expect(participantName({ kind: 'agent', id: 'kit-1' }, { displayName: 'Kit' })).toBe('Kit')
  expect(participantName({ kind: 'agent', id: 'kit-1' }, undefined)).toBe('A deleted Boo')
  expect(participantName({ kind: 'person', id: 'p-1' }, undefined)).toBe('A former member')
})
