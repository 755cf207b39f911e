import { expect, test } from 'vitest'
import { countLines, numberLines } from './diff-lines.ts'

const hunk = {
  oldStart: 10,
  oldLines: 3,
  newStart: 12,
  newLines: 3,
  lines: [
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'c' },
    { kind: 'same', text: 'd' },
  ],
} as const

test('[PG211] a line has its old and new number, and none on the side where it is missing', () => {
  expect(numberLines(hunk).map(({ oldLine, newLine }) => [oldLine, newLine])).toEqual([
    [10, 12],
    [11, null],
    [null, 13],
    [12, 14],
  ])
})

test('[PG211] a file counts its added and removed lines', () => {
  expect(countLines({ hunks: [hunk, hunk] })).toEqual({ added: 2, removed: 2 })
  expect(countLines({ hunks: [] })).toEqual({ added: 0, removed: 0 })
})
