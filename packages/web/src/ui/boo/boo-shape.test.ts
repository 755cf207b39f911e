import { expect, test } from 'vitest'
import { booShape } from './boo-shape.ts'

test('[PG17] a thousand seeds give a thousand different Boos', () => {
  const looks = new Set(Array.from({ length: 1_000 }, (_, at) => JSON.stringify(booShape(`seed-${at}`))))
  expect(looks.size).toBe(1_000)
})

test('[PG17] the same seed always gives the same Boo, and shapes differ beyond colour', () => {
  expect(booShape('ada')).toEqual(booShape('ada'))
  const shapes = new Set(Array.from({ length: 1_000 }, (_, at) => booShape(`seed-${at}`).body))
  const wears = new Set(Array.from({ length: 1_000 }, (_, at) => booShape(`seed-${at}`).wear))
  expect(shapes.size).toBeGreaterThan(600)
  expect(wears.size).toBe(11)
})
