import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readableSlug } from './readable-slug.ts'

test('[RG26] the readable part of an id is short plain ASCII, whatever the name', () => {
  expect(readableSlug('Émile, the 2nd!', 'boo')).toBe('emile-the-2nd')
  expect(readableSlug('幽霊', 'boo')).toBe('boo')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) =>
      /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(readableSlug(name, 'boo')),
    ),
  )
})
