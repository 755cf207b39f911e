import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLooseJson } from './discover-gateways.ts'

test('[OC20] settings may have comments, trailing commas, bare keys and single quotes', () => {
  const written = `// The Gateway
  {
    gateway: { /* its port */ port: 18911, bind: 'loopback', },
    "url": "http://localhost/a//b", // not a comment: the slashes in the text
    'quote': 'it\\'s "here"',
    list: [1, 2, 3,],
  }`
  expect(parseLooseJson(written)).toEqual({
    gateway: { port: 18_911, bind: 'loopback' },
    url: 'http://localhost/a//b',
    quote: 'it\'s "here"',
    list: [1, 2, 3],
  })
})

test('[OC20] any valid JSON is read the same, even with comments and trailing commas', () => {
  fc.assert(
    fc.property(fc.json(), (source) => {
      const value: unknown = JSON.parse(source)
      expect(parseLooseJson(source)).toEqual(value)
      expect(parseLooseJson(`/* before */ ${source} // after`)).toEqual(value)
    }),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-zA-Z_]\w{0,8}$/), fc.jsonValue()), (value) => {
      const entries = Object.entries(value).map(([key, each]) => `${key}: ${JSON.stringify(each)},`)
      expect(parseLooseJson(`{ // bare\n${entries.join('\n')} }`)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('[OC20] unreadable input gives null', () => {
  for (const source of ['', '{', '{ a: }', 'nonsense', '{"a": tru}']) expect(parseLooseJson(source)).toBeNull()
  fc.assert(fc.property(fc.string(), (source) => void parseLooseJson(source)))
})
