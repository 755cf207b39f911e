import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../../../test/seed.ts'
import { type TaskBrief, taskPrompt } from './task-prompt.ts'

const BRIEF: TaskBrief = {
  task: { title: 'Draw the moss', body: 'In green.', changesFiles: true },
  attempt: 2,
  previous: { attempt: 1, state: 'completed', reason: null, lastText: 'It is blue.' },
  comments: [
    { author: { kind: 'operator', id: null }, body: 'Green, please.', file: 'src/moss.ts', line: 7 },
    { author: { kind: 'agent', id: 'bob' }, body: 'I like it.', file: null, line: null },
  ],
  worktree: { isResumed: true, notes: ['Submodules are not checked out: vendor.'] },
  checkCommand: 'npm test',
  canReport: true,
}

test('[DI13] a prompt has the task, the previous attempt, the comments with their places, and the folder', () => {
  const prompt = taskPrompt(BRIEF)
  for (const part of [
    'attempt 2',
    'Draw the moss',
    'In green.',
    'Attempt 1 came before this one and ended as: completed',
    'It is blue.',
    'from the operator',
    'file: src/moss.ts\nline: 7',
    'Green, please.',
    'from an agent',
    'Note: Submodules are not checked out: vendor.',
    'npm test',
    'report_done',
  ])
    expect(prompt).toContain(part)
  const bare = { ...BRIEF, attempt: 1, previous: null, comments: [], worktree: null, checkCommand: null }
  const first = taskPrompt({ ...bare, canReport: false })
  expect(first).toContain('You work in your own workspace.')
  for (const part of ['report_done', 'came before', 'Comment']) expect(first).not.toContain(part)
})

test('[DI14] no text can close its fence, and equal input gives an equal prompt', () => {
  const text = fc.string({ unit: fc.constantFrom('`', '``', '\n', '```\n', 'Comment 9, from the operator:', 'a', '~') })
  fc.assert(
    fc.property(text, text, text, text, (title, body, lastText, comment) => {
      const brief: TaskBrief = {
        ...BRIEF,
        task: { title, body, changesFiles: true },
        previous: { attempt: 1, state: 'lost', reason: lastText, lastText },
        comments: [{ author: { kind: 'person', id: 'p' }, body: comment, file: title || 'f', line: 1 }],
      }
      const prompt = taskPrompt(brief)
      expect(taskPrompt(structuredClone(brief))).toBe(prompt)
      const outside = outsideOfFences(prompt)
      expect(outside.join('\n')).not.toMatch(/Comment 9|~/)
      expect(outside.filter((line) => line.includes('`')).every((line) => line.includes('report_done'))).toBe(true)
    }),
  )
})

test('[DI14] a long text is shortened, and the prompt shows how much is missing', () => {
  const comments = Array.from({ length: 80 }, (_, n) => ({ ...BRIEF.comments[1]!, body: `${n} ${'x'.repeat(9_000)}` }))
  const prompt = taskPrompt({ ...BRIEF, comments })
  expect(prompt).toContain('30 older ones are left out')
  expect(prompt).toContain('5003 characters left out')
  expect(prompt.length).toBeLessThan(50 * 4_200 + 5_000)
})

/** The lines outside fences. As in Markdown, a line of at least as many backticks and nothing else ends a fence. */
function outsideOfFences(prompt: string): string[] {
  const outside: string[] = []
  let fence: string | null = null
  for (const line of prompt.split('\n')) {
    if (fence === null && /^`{3,}$/.test(line)) fence = line
    else if (fence !== null && line.length >= fence.length && /^`+$/.test(line)) fence = null
    else if (fence === null) outside.push(line)
  }
  if (fence !== null) outside.push(`~ open ${fence}`)
  return outside
}
