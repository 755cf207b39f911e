import { expect, test } from 'vitest'
import { isYou } from '../../shared/agent/participant-name.ts'
import { taskState, whyWords } from '../../shared/task/task-state.ts'
import { attemptState, checkWords, evidenceTone, evidenceWords, mergeWords } from './task-words.ts'

const asked = { assignee: null }
const kept = { id: 'e', taskId: 't', at: 1 }

test('[PG209] every kind of evidence has a sentence that states what it shows', () => {
  const check = (exitCode: number | null) => ({ ...kept, kind: 'check', command: 'npm test', exitCode }) as const
  expect(evidenceWords(check(0))).toBe('The check npm test passed')
  expect(evidenceWords(check(2))).toBe('The check npm test failed with exit code 2')
  expect(checkWords(null)).toBe('did not finish')
  expect(evidenceTone(check(null))).toBe('bad')
  const signOff = { ...kept, kind: 'sign-off', person: { id: 'p', name: 'Sam' } } as const
  expect(evidenceWords(signOff)).toBe('Approved by Sam')
  expect(evidenceTone(signOff)).toBe('good')
})

test('[PG200] a card shows why it is in its column, unless the column already explains it', () => {
  const wait = { code: 'not_ready', reason: 'waits for “A”' } as const
  expect(whyWords({ ...asked, status: 'todo', reason: null }, wait)).toBe('Waits for “A”')
  expect(whyWords({ ...asked, status: 'blocked', reason: 'No key' }, null)).toBe('No key')
  expect(whyWords({ ...asked, status: 'done', reason: null }, wait)).toBe(null)
})

test('[PG217] a task that waits for the operator shows “you”, and one of another person shows the name', () => {
  const task = { status: 'todo', reason: null } as const
  const wait = (name: string) => ({ code: 'waits_for_person', reason: `waits for ${name}` }) as const
  const of = (id: string) => ({ ...task, assignee: { kind: 'person', id } as const })
  expect(whyWords(of('operator'), wait('operator'))).toBe('Needs you')
  expect(whyWords(of('p-1'), wait('Robin'))).toBe('Waits for Robin')
  expect([isYou({ kind: 'operator', id: null }), isYou({ kind: 'agent', id: 'kit' })]).toEqual([true, false])
})

test('[PG209] failed differs from blocked, and an attempt has a word for its end', () => {
  expect(taskState({ status: 'blocked', failedAt: 4 })).toEqual({ word: 'Failed', tone: 'bad' })
  expect(taskState({ status: 'blocked', failedAt: null }).word).toBe('Blocked')
  expect(attemptState('released').word).toBe('Released')
  expect(mergeWords('merge-commit', 2)).toBe('2 files merged into the project, with a merge commit')
  expect(mergeWords('nothing', 0)).toMatch(/already has all changes/)
})
