import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { BoardLine } from '../../store/repositories/board/board-lines-repository.ts'
import { POST_CHARACTERS } from '../posts/append-post.ts'
import { gatherLines, MOST_LINES_OF_A_KIND } from './board-narration.ts'

const line = (n: number, action: string, text = `Line ${n}`, taskId = `t${n}`): BoardLine => ({
  teamId: 'team',
  taskId,
  action,
  text,
  at: n,
})

it('[TC82] a burst of lines of one kind is one post; other lines are one post each', () => {
  const few = Array.from({ length: MOST_LINES_OF_A_KIND }, (_, n) => line(n, 'task.create'))
  expect(gatherLines(few).map(({ body, taskId, at }) => [body, taskId, at])).toEqual(
    few.map(({ text, taskId, at }) => [text, taskId, at]),
  )
  const many = [...few, line(8, 'task.create'), line(9, 'task.move'), line(10, 'task.create')]
  expect(gatherLines(many).map(({ body, taskId }) => [body.split('\n').length, taskId])).toEqual([
    [MOST_LINES_OF_A_KIND + 1, null],
    [1, 't9'],
    [1, 't10'],
  ])
  const ofOne = few.concat(few).map((one) => ({ ...one, taskId: 'same' }))
  expect(gatherLines(ofOne)).toEqual([expect.objectContaining({ taskId: 'same', at: MOST_LINES_OF_A_KIND - 1 })])
})

it('[TC82] each line is in one post, in order, and every post fits', () => {
  const lines = fc.array(fc.tuple(fc.constantFrom('task.create', 'task.move'), fc.integer({ min: 1, max: 2_000 })), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(lines, (sample) => {
      const all = sample.map(([action, length], n) => line(n, action, `${n} `.padEnd(length + 4, 'x')))
      const posts = gatherLines(all)
      expect(posts.flatMap(({ body }) => body.split('\n'))).toEqual(all.map(({ text }) => text))
      expect(posts.every(({ body }) => body.length <= POST_CHARACTERS)).toBe(true)
    }),
  )
})
