import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readInline } from './inline-markdown.ts'
import { readMarkdown } from './markdown.ts'

const kinds = (text: string) => readMarkdown(text).parts.map(({ kind }) => kind)

test('[PG63] headings, lists, quotes, tables, rules and code are separated from paragraphs', () => {
  const text =
    '# One\n\nTwo\nthree\n\n- a\n  - b\n\n- c\n\n1. d\n\n> e\n> f\n\n| g | h |\n|---|---|\n| i | j |\n\n---\n```ts\nk\n```'
  expect(kinds(text)).toEqual(['heading', 'paragraph', 'list', 'quote', 'table', 'rule', 'fence'])
  expect(readMarkdown('- a\n  - b\n1. c').parts[0]).toMatchObject({
    items: [
      { depth: 0, number: null, text: 'a' },
      { depth: 1, number: null, text: 'b' },
      { depth: 0, number: 1, text: 'c' },
    ],
  })
})

test('[PG63] an unfinished fence is code at once', () => {
  expect(readMarkdown('Look:\n```sh\nnpm te').parts).toMatchObject([
    { kind: 'paragraph' },
    { kind: 'fence', language: 'sh', code: 'npm te' },
  ])
  expect(readMarkdown('````\n```\nin\n```\n````').parts).toMatchObject([{ kind: 'fence', code: '```\nin\n```' }])
})

test('[PG63] only web addresses become links, and everything else stays text', () => {
  const hrefs = (text: string) => readInline(text).flatMap((part) => (part.kind === 'link' ? [part.href] : []))
  expect(hrefs('[a](https://example.org/x) and http://example.org/y.')).toEqual([
    'https://example.org/x',
    'http://example.org/y',
  ])
  for (const bad of ['javascript:alert(1)', 'JAVASCRIPT:x', 'data:text/html,x', 'file:///etc/passwd', '/relative']) {
    expect(hrefs(`[a](${bad})`)).toEqual([])
    expect(readInline(`[a](${bad})`)).toContainEqual({ kind: 'text', text: `[a](${bad})` })
  }
})

test('[PG63] code, bold, italic and struck words are recognised, and names with underscores are not', () => {
  expect(readInline('a `b*c*` **d *e* f** _g_ ~~h~~ snake_case_name 2 * 3 * 4')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: 'b*c*' },
    { kind: 'text', text: ' ' },
    {
      kind: 'strong',
      parts: [
        { kind: 'text', text: 'd ' },
        { kind: 'emphasis', parts: [{ kind: 'text', text: 'e' }] },
        { kind: 'text', text: ' f' },
      ],
    },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', parts: [{ kind: 'text', text: 'g' }] },
    { kind: 'text', text: ' ' },
    { kind: 'struck', parts: [{ kind: 'text', text: 'h' }] },
    { kind: 'text', text: ' snake_case_name 2 * 3 * 4' },
  ])
})

test('[PG63] parsing a growing text gives the same parts as parsing it at once', () => {
  const piece = fc.constantFrom('word', ' ', '\n', '\n\n', '```', '- ', '1. ', '# ', '> ', '|', '---', '**', '`', '  ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      let reading = readMarkdown('')
      let text = ''
      for (const next of pieces) {
        text += next
        reading = readMarkdown(text, reading)
      }
      expect(reading.parts).toEqual(readMarkdown(text).parts)
    }),
    { numRuns: 400 },
  )
})

test('[PG63] parsing the marks of a line neither loses nor adds a letter', () => {
  const letters = (parts: ReturnType<typeof readInline>): string =>
    parts.map((part) => ('text' in part ? part.text : letters(part.parts))).join('')
  const mark = fc.constantFrom(
    'a',
    ' ',
    '*',
    '**',
    '_',
    '`',
    '``',
    '~~',
    '[',
    '](',
    ')',
    'https://x.y',
    '\n',
    '\\',
    '"',
  )
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 40 }), (marks) => {
      const text = marks.join('')
      const plain = (value: string) => value.replace(/[*_`~[\]()\s\\"]|https:\/\/x\.y/g, '')
      expect(plain(letters(readInline(text)))).toBe(plain(text))
    }),
  )
})

test('[PG63] code below a list item stays code, with its own indentation', () => {
  const text = '1. Write it:\n\n   ```python\n   def f(x):\n       return 1\n   ```\n2. Run it.'
  expect(kinds(text)).toEqual(['list', 'fence', 'list'])
  expect(readMarkdown(text).parts[1]).toMatchObject({ language: 'python', code: 'def f(x):\n    return 1' })
})

test('[PG63] a heading loses its closing marks and nothing else', () => {
  const heading = (line: string) => readMarkdown(line).parts[0]
  expect(heading('# a ##  ')).toMatchObject({ kind: 'heading', text: 'a' })
  expect(heading('## C#')).toMatchObject({ kind: 'heading', level: 2, text: 'C#' })
})

test('[PG63] lines built to be slow are parsed in linear time', () => {
  // A backtracking pattern would take minutes for these, and the test would time out.
  for (const line of [`# a${' '.repeat(60_000)}x`, `# ${'#'.repeat(60_000)}x`, `\`\`\`${' '.repeat(60_000)}\``])
    expect(readMarkdown(line).parts.length).toBeGreaterThan(0)
})

test('[PG175] a bar after a backslash belongs to its cell, also inside code', () => {
  const table = (text: string) => readMarkdown(text).parts[0]
  expect(table('| a \\| b | `x \\| y` |\n|---|:-:|\n| one | \\\\| two \\|\n| | last |')).toMatchObject({
    kind: 'table',
    head: ['a | b', '`x | y`'],
    rows: [
      ['one', '\\\\', 'two |'],
      ['', 'last'],
    ],
  })
  expect(readInline('`x | y`')).toEqual([{ kind: 'code', text: 'x | y' }])
  expect(kinds('a | b\nno | line')).toEqual(['paragraph'])
})

test('[PG175] a backslash escapes marks and nothing else', () => {
  const text = (value: string) => [{ kind: 'text', text: value }]
  expect(readInline('\\*not so\\* \\_nor\\_ \\[so\\](https://x.y/z) \\`x\\` 1\\. \\\\')).toMatchObject([
    { text: '*not so* _nor_ [so](' },
    { kind: 'link' },
    { text: ') `x` 1. \\' },
  ])
  expect(readInline('C:\\Users\\me')).toEqual(text('C:\\Users\\me'))
  expect(readInline('*a \\* b*')).toEqual([{ kind: 'emphasis', parts: text('a * b') }])
  expect(readInline('**a \\** b**')).toEqual([{ kind: 'strong', parts: text('a ** b') }])
  expect(readInline('`a\\*b`')).toEqual([{ kind: 'code', text: 'a\\*b' }])
  expect(readInline('one\\\ntwo')).toEqual(text('one\ntwo'))
})

test('[PG175] a link shows its title beside its address, and a title does not allow another scheme', () => {
  const parts = [{ kind: 'text', text: 'a' }]
  const link = { kind: 'link', href: 'https://x.y/z', parts }
  expect(readInline('[a](https://x.y/z "say \\"hi\\"")')).toEqual([{ ...link, title: 'say "hi"' }])
  expect(readInline("[a](https://x.y/z 'one' )")).toEqual([{ ...link, title: 'one' }])
  expect(readInline('[a](https://x.y/z)')).toEqual([{ ...link, title: null }])
  const bad = '[a](javascript:alert(1) "https://x.y")'
  expect(readInline(bad).some((part) => part.kind === 'link' && part.href.startsWith('javascript'))).toBe(false)
})

test('[PG175] lines of marks built to be slow are parsed in linear time', () => {
  const many = (part: string) => part.repeat(Math.floor(20_000 / part.length))
  const hostile = [
    '\\',
    '\\*',
    '*\\*',
    '**\\**a',
    '_\\_',
    '~~\\~',
    '[\\]',
    '[a](b "',
    "[a](https://x '",
    '`\\',
    '|\\',
    '*a',
    '**a*',
  ]
  for (const part of hostile) {
    expect(readInline(many(part)).length).toBeGreaterThan(0)
    expect(readMarkdown(`${many(part)}|\n|--|\n${many(part)}|`).parts.length).toBeGreaterThan(0)
  }
  for (const line of [
    `|${' '.repeat(60_000)}x`,
    `--${' '.repeat(60_000)}|x`,
    '|--'.repeat(20_000),
    '\\|'.repeat(60_000),
  ])
    expect(readMarkdown(`a|b\n${line}\n${line}`).parts.length).toBeGreaterThan(0)
})
