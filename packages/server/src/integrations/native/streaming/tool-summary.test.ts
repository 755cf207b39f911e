import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolResult } from '../tools/tool.ts'
import { groupPaths, type SummaryView, toolEndSummary, toolStartSummary, type VerboseLevel } from './tool-summary.ts'

const view = (level: VerboseLevel): SummaryView => ({ level, home: '/home/ada' })
const start = (name: string, input: Record<string, unknown>, level: VerboseLevel = 'on') =>
  toolStartSummary({ name, arguments: input }, view(level))
const result = (text: string, isError = false): ToolResult => ({ content: [{ type: 'text', text }], isError })
const end = (text: string, level: VerboseLevel, isError = false) =>
  toolEndSummary({ name: 'exec', arguments: { command: 'ls' } }, result(text, isError), view(level))

test('[NR285] `off` shows nothing for a successful call, `on` one line at its start, `full` also the result', () => {
  expect(start('exec', { command: 'ls' }, 'off')).toBeNull()
  expect(end('a.txt', 'off')).toBeNull()
  expect(start('exec', { command: 'ls' }, 'on')).toBe('🛠️ ls')
  expect(end('a.txt', 'on')).toBeNull()
  expect(start('exec', { command: 'ls' }, 'full')).toBe('🛠️ ls')
  expect(end('a.txt\n', 'full')).toBe('🛠️ ls\n```\na.txt\n```')
  expect(end(' ', 'full')).toBe('🛠️ ls\n(no output)')
})

test('[NR286] a line has an emoji, the tool and its details, and exec shows its command', () => {
  expect(start('read', { path: '/home/ada/notes.md', offset: 10, limit: 20 })).toBe('📖 Read: ~/notes.md; lines 10-29')
  expect(start('read', { path: 'notes.md', offset: 10 })).toBe('📖 Read: notes.md; from line 10')
  expect(start('write', { path: 'a.md', content: 'x' })).toBe('✍️ Write: a.md; 1 character')
  expect(start('edit', { path: 'a.md', edits: [{}, {}] })).toBe('📝 Edit: a.md; 2 edits')
  expect(start('process', { action: 'poll', sessionId: 'calm-fox' })).toBe('🧰 Process: poll; calm-fox')
  expect(start('exec', { command: 'cd app\nnpm test' })).toBe('🛠️ cd app ⏎ npm test')
  expect(start('exec', {})).toBe('🛠️ Exec')
  expect(start('memory_search', { query: 'fox', limit: 3, deep: true, more: 1 })).toBe(
    '🧩 Memory Search: query fox; limit 3; deep true',
  )
})

test('[NR287] files of one folder are grouped and the home folder is shortened', () => {
  const patch =
    '*** Begin Patch\n*** Add File: src/a.ts\n+x\n*** Update File: src/b.ts\n*** Move to: lib/b.ts\n*** End Patch'
  expect(start('apply_patch', { input: patch })).toBe('🩹 Apply Patch: src/{a.ts, b.ts}; lib/b.ts')
  const paths = ['/home/ada/x/a', '/home/ada/x/b', '/home/ada/x/a', '/home/adams/c', '/home/ada', 'd']
  expect(groupPaths(paths, '/home/ada/')).toBe('~/x/{a, b}; /home/adams/c; ~; d')
  expect(groupPaths(['C:\\Users\\ada\\a', 'C:\\Users\\ada\\b'], 'C:\\Users\\ada')).toBe('~\\{a, b}')
  expect(start('lint', { files: ['/srv/a', '/srv/b'] })).toBe('🧩 Lint: /srv/{a, b}')
})

test('[NR288] a failure is shown at every level, with details only from level `on`', () => {
  expect(end('secret path\nmore', 'off', true)).toBe('⚠️ Exec failed')
  expect(end('no such file\nmore', 'on', true)).toBe('⚠️ Exec failed: no such file')
  expect(end('no such file', 'full', true)).toBe('⚠️ Exec failed\n```\nno such file\n```')
  expect(end('', 'on', true)).toBe('⚠️ Exec failed')
})

test('[NR289] a long result is cut with a note of the omitted length, and nothing in it closes its fence', () => {
  expect(end('x'.repeat(1500), 'full')).toBe(`🛠️ ls\n\`\`\`\n${'x'.repeat(1000)}\n\`\`\`\n… 500 more characters`)
  expect(end('```js\n1\n```', 'full')).toBe('🛠️ ls\n````\n```js\n1\n```\n````')
})

test('[NR289] no line ends in half a character', () => {
  for (const lead of ['', 'x']) expect(start('exec', { command: lead + '👻'.repeat(200) })!.isWellFormed()).toBe(true)
})

test('[NR289] secrets in the input of unknown tools are not shown', () => {
  expect(start('login', { user: 'ada', password: 'p', api_key: 'k', authToken: 't' })).toBe('🧩 Login: user ada')
})

test('[NR289] a summary is always one line of bounded length without control characters', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('read', 'exec', 'apply_patch', 'process', 'constructor', 'x_y', ''),
      fc.dictionary(
        fc.constantFrom('path', 'command', 'input', 'action', 'edits', 'offset', 'other'),
        fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.array(fc.string())),
      ),
      fc.array(fc.integer({ min: 0, max: 0x20ff }), { maxLength: 400 }).map((codes) => String.fromCodePoint(...codes)),
      (name, input, text) => {
        const line = start(name, { ...input, command: text, query: text })
        expect(line).toMatch(/^[^\p{Cc}\p{Bidi_Control}]{1,250}$/u)
      },
    ),
  )
})
