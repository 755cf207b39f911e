import { expect, test } from 'vitest'
import { EMPTY_DRAFT, withMention, withText } from './room-draft.ts'
import { foundBoos, mentionPlace } from './use-typing.ts'

const placeIn = (text: string, caret = text.length) => mentionPlace(withText(EMPTY_DRAFT, text, caret), caret)

test('[PG261] a mention being typed runs from its @ to the cursor', () => {
  expect(placeIn('@')).toEqual({ at: 0, end: 1, query: '' })
  expect(placeIn('Ask @ki')).toEqual({ at: 4, end: 7, query: 'ki' })
  expect(placeIn('(@moss the o')).toEqual({ at: 1, end: 12, query: 'moss the o' })
  expect(placeIn('Ask @kit now', 8)).toEqual({ at: 4, end: 8, query: 'kit' })
})

test.each([['Hello'], ['me@example'], ['@ and'], ['@kit\nand'], [`@${'x'.repeat(80)}`]])(
  '[PG261] %j contains no mention being typed',
  (text) => {
    expect(placeIn(text)).toBeNull()
  },
)

test('[PG261] the list stays closed after a picked name', () => {
  const { draft, caret } = withMention(
    withText(EMPTY_DRAFT, '@', 1),
    { at: 0, end: 1 },
    { id: 'k', displayName: 'Kit' },
  )
  expect(mentionPlace(draft, caret)).toBeNull()
})

test('[PG261] names that start with the text come first, then words within names, then the rest, without case and accents', () => {
  const boos = ['Moss the Old', 'Theo', 'Zoë', 'Beth', 'Kit'].map((displayName) => ({ displayName }))
  const names = (query: string) => foundBoos(boos, query).map(({ displayName }) => displayName)
  expect(names('th')).toEqual(['Theo', 'Moss the Old', 'Beth'])
  expect(names('ZOE')).toEqual(['Zoë'])
  expect(names('')).toHaveLength(5)
  expect(names('kit ')).toEqual([])
})
