import { expect, test } from 'vitest'
import { storableText } from './storable-text.ts'

test('[ST123] any text is cut between characters and contains nothing that an engine refuses', () => {
  expect(storableText('short', 5)).toBe('short')
  expect(storableText('longer', 5)).toBe('long…')
  expect(storableText('abc👻d', 5)).toBe('abc…')
  expect(storableText('a\0b\ud800c', 9)).toBe('a\ufffdb\ufffdc')
  for (let max = 1; max < 9; max++) {
    const text = storableText('👻\0👻\udc00👻👻', max)
    expect({ max, fits: text.length <= max, whole: text.isWellFormed() && !text.includes('\0') }).toEqual({
      max,
      fits: true,
      whole: true,
    })
  }
})
