import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closesCycle, judgeLink, type TaskLink } from './dependencies.ts'

const link = (blockerId: string, blockedId: string): TaskLink => ({ blockerId, blockedId })

/** Checks whether all tasks can be done in some order, by doing them. */
function canAllBeDone(links: readonly TaskLink[]): boolean {
  let left = links
  for (;;) {
    const waiting = new Set(left.map(({ blockedId }) => blockedId))
    const rest = left.filter(({ blockerId }) => waiting.has(blockerId))
    if (rest.length === left.length) return rest.length === 0
    left = rest
  }
}

test('[BO15] refuses exactly the links that close a cycle', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  fc.assert(
    fc.property(fc.array(fc.tuple(id, id), { maxLength: 30 }), (asked) => {
      let links: readonly TaskLink[] = []
      for (const [from, to] of asked) {
        const verdict = judgeLink(links, link(from, to))
        expect(verdict.ok).toBe(canAllBeDone([...links, link(from, to)]))
        if (verdict.ok && verdict.changed) links = [...links, link(from, to)]
      }
      expect(canAllBeDone(links)).toBe(true)
    }),
  )
})

test('[BO15] a refusal distinguishes a cycle from a task that waits for itself', () => {
  expect(judgeLink([], link('a', 'a'))).toMatchObject({ ok: false, code: 'self_link' })
  expect(judgeLink([link('a', 'b'), link('b', 'c')], link('c', 'a'))).toMatchObject({ ok: false, code: 'closes_cycle' })
  expect(closesCycle([], 'a', 'a')).toBe(true)
})

test('[BO16] a search through countless paths reads each link at most twice', () => {
  let reads = 0
  const counted = (from: string, to: string): TaskLink => ({
    get blockerId() {
      reads += 1
      return from
    },
    blockedId: to,
  })
  const layers = Array.from({ length: 60 }, (_, at) => [`${at}a`, `${at}b`, `${at}c`])
  const links = layers
    .slice(1)
    .flatMap((layer, at) => layers[at]!.flatMap((from) => layer.map((to) => counted(from, to))))
  expect(closesCycle(links, 'new', '0a')).toBe(false)
  expect(closesCycle(links, '59a', '0a')).toBe(true)
  expect(reads).toBeLessThanOrEqual(4 * links.length)
})

test('[BO16] a search reaches the end of a chain of 50000 tasks', () => {
  const chain = Array.from({ length: 50_000 }, (_, at) => link(`t${at}`, `t${at + 1}`))
  expect(closesCycle(chain, 't50000', 't0')).toBe(true)
  expect(closesCycle(chain, 't0', 't50000')).toBe(false)
})

test('[BO17] an existing link changes nothing', () => {
  expect(judgeLink([link('a', 'b')], link('a', 'b'))).toEqual({ ok: true, changed: false })
  expect(judgeLink([link('a', 'b')], link('a', 'c'))).toEqual({ ok: true, changed: true })
})
