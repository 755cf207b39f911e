import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asksPerson } from './asks-person.ts'

const question = { id: 'to', header: 'To', question: 'Where to?', options: [{ label: 'Here' }, { label: 'There' }] }

test('[OC98] a question is one line with its options, and other calls have none', () => {
  expect(asksPerson('ask_user', { questions: [question] })).toEqual({ summary: 'asks you: Where to? (Here / There)' })
  const two = { questions: [question, { question: 'When?' }] }
  expect(asksPerson('ask_user', two).summary).toBe('asks you: Where to? (Here / There); When? (in your own words)')
  expect(asksPerson('exec', { questions: [question] })).toEqual({})
  expect(asksPerson('ask_user', { questions: [] })).toEqual({})
})

test('[OC98] any question becomes a bounded line without terminal control characters', () => {
  const asked = fc.record({ question: fc.anything(), options: fc.anything() })
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(asked, { maxLength: 200 })), (questions) => {
      const { summary = '' } = asksPerson('ask_user', { questions })
      expect(summary.length).toBeLessThanOrEqual(500)
      expect(summary).not.toMatch(/\p{Cc}/u)
    }),
  )
})
