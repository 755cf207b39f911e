import { expect, test } from 'vitest'
import { withAdded } from './draft-text.ts'

test('[PG152] what comes back is put below the draft that is there, and never over it', () => {
  expect(withAdded('', 'Back')).toBe('Back')
  expect(withAdded(' \n', 'Back')).toBe('Back')
  expect(withAdded('Half a thought', 'Back')).toBe('Half a thought\n\nBack')
  expect(withAdded('Half a thought\n\n', 'Back\nagain')).toBe('Half a thought\n\nBack\nagain')
})
