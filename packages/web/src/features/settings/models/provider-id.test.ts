import { expect, test } from 'vitest'
import { providerIdFor } from './own-provider-form.tsx'

test('[PG94] a provider’s name gives an id that is valid and unique', () => {
  expect(providerIdFor('My Server (lab)', [])).toBe('my-server-lab')
  expect(providerIdFor('Zoë’s Box', ['zoe-s-box'])).toBe('zoe-s-box-2')
  expect(providerIdFor('实验室', [])).toBe('own')
  expect(providerIdFor('-'.repeat(10), ['own', 'own-2'])).toBe('own-3')
  expect(providerIdFor('x'.repeat(90), [])).toMatch(/^[a-z0-9][a-z0-9-]{0,39}$/)
})
