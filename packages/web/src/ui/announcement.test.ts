import { expect, test } from 'vitest'
import { announcementPlace, type Box } from './announcement.tsx'

const box = (top: number, bottom: number): Box => ({ top, bottom, left: 0, right: 390 })
const places = { atTop: box(12, 52), atBottom: box(740, 780) }

test('[PG176] an announcement does not cover the field that a person types in', () => {
  const placeFor = (fields: readonly Box[], focused: Box | null = null) =>
    announcementPlace({ ...places, fields, focused })
  const [search, composer] = [box(20, 50), box(700, 790)]
  expect(placeFor([])).toBe('bottom')
  expect(placeFor([search])).toBe('bottom')
  expect(placeFor([composer])).toBe('top')
  expect(placeFor([{ ...composer, left: 400, right: 600 }])).toBe('bottom')
  expect(placeFor([search, composer], composer)).toBe('top')
  expect(placeFor([search, composer], search)).toBe('bottom')
})
