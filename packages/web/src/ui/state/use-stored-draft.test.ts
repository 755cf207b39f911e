import { expect, test } from 'vitest'
import { withAdded } from './use-stored-draft.ts'

test('[PG152] a withdrawn message goes below the existing draft and never replaces it', () => {
  expect(withAdded('', 'Back')).toBe('Back')
  expect(withAdded(' \n', 'Back')).toBe('Back')
  expect(withAdded('Half a thought', 'Back')).toBe('Half a thought\n\nBack')
  expect(withAdded('Half a thought\n\n', 'Back\nagain')).toBe('Half a thought\n\nBack\nagain')
})
