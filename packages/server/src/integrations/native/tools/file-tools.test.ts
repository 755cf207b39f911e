import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyEdits } from './edit-tool.ts'
import { openTools, type TestTools } from './test-tools.ts'

let tools: TestTools
beforeEach(async () => {
  tools = await openTools()
})
afterEach(() => tools.dispose())

const put = (name: string, content: string | Buffer) => writeFile(join(tools.workspace, name), content)
const text = (name: string) => readFile(join(tools.workspace, name), 'utf8')
const numbered = (count: number, width = 0) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`.padEnd(width, '.')).join('\n')

test('[NR106] read returns at most 2000 lines and the offset to continue with', async () => {
  await put('long.txt', `${numbered(2001)}\n`)
  const first = await tools.call('read', { path: 'long.txt' })
  expect(first.text).toMatch(
    /\nline 2000\n\n\[Lines 1-2000 are shown; the file continues\. Continue with offset=2001\.\]$/,
  )
  expect(first.details).toMatchObject({ firstLine: 1, lastLine: 2000, nextOffset: 2001 })
  expect((await tools.call('read', { path: 'long.txt', offset: 2001 })).text).toBe('line 2001\n')
  await put('fits.txt', numbered(2000))
  expect((await tools.call('read', { path: 'fits.txt' })).text).toBe(numbered(2000))
})

test('[NR106] read returns at most 50 KiB of complete lines', async () => {
  await put('wide.txt', `${numbered(1000, 99)}\n`)
  const first = await tools.call('read', { path: 'wide.txt' })
  expect(first.details).toMatchObject({ lastLine: 512, nextOffset: 513 })
  expect(Buffer.byteLength(first.text.split('\n\n[Lines')[0]!)).toBe(51_199)
  await put('exact.txt', 'x'.repeat(51_200))
  expect((await tools.call('read', { path: 'exact.txt' })).text).toBe('x'.repeat(51_200))
})

test('[NR106] offset and limit select a part, and an offset past the end reports the number of lines', async () => {
  await put('a.txt', 'one\ntwo\nthree\n')
  expect((await tools.call('read', { path: 'a.txt', offset: 2, limit: 1 })).text).toContain(
    'two\n\n[Lines 2-2 are shown',
  )
  expect((await tools.call('read', { path: 'a.txt', offset: 3, limit: 5 })).text).toBe('three\n')
  const past = await tools.call('read', { path: 'a.txt', offset: 4 })
  expect(past).toMatchObject({ isError: true, text: 'offset 4 is past the end: "a.txt" has 3 lines.' })
  expect((await tools.call('read', { path: 'a.txt', offset: 99 })).text).toContain('has 3 lines')
  await put('empty.txt', '')
  expect((await tools.call('read', { path: 'empty.txt' })).text).toBe('[The file is empty.]')
  expect(await tools.call('read', { path: 'none.txt' })).toMatchObject({ isError: true })
})

test('[NR106] continuing with the returned offset reads every line once', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 30 }).map((each) => each.replace(/[\n\0]/g, '.'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      async (lines, limit) => {
        await put('any.txt', `${lines.join('\n')}\n`)
        let [collected, offset]: [string, number | null] = ['', 1]
        while (offset !== null) {
          const result = await tools.call('read', { path: 'any.txt', offset, limit })
          const { nextOffset } = result.details as { nextOffset: number | null }
          collected += nextOffset === null ? result.text : result.text.slice(0, result.text.lastIndexOf('\n[Lines '))
          offset = nextOffset
        }
        expect(collected).toBe(`${lines.join('\n')}\n`)
      },
    ),
  )
})

test('[NR107] a line that is too long is cut without splitting a character', async () => {
  await put('one.txt', `${'é'.repeat(40_000)}x\nnext\n`)
  const result = await tools.call('read', { path: 'one.txt' })
  expect(result.text).toContain('Line 1 is too long to show; these are its first 51200 bytes. Continue with offset=2.')
  expect(result.text).not.toContain('\ufffd')
  await put('odd.txt', `x${'é'.repeat(40_000)}\n`)
  expect((await tools.call('read', { path: 'odd.txt' })).text).toContain('first 51199 bytes')
})

test('[NR107] read stops at the end of a line before the limit of the model is reached', async () => {
  const small = await openTools({ resultMaxChars: 2000 })
  await writeFile(join(small.workspace, 'a.txt'), numbered(500, 50))
  const result = await small.call('read', { path: 'a.txt' })
  expect(result.text.length).toBeLessThanOrEqual(2000)
  expect(result.text).toMatch(/Continue with offset=36\.\]$/)
  await small.dispose()
})

test('[NR108] an image is recognised whatever its name, and other binary files are refused with an explanation', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  for (const [head, mimeType] of [
    [png, 'image/png'],
    [Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
    [Buffer.from('GIF89a\0\0'), 'image/gif'],
    [Buffer.from('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ] as const) {
    await put('picture.txt', head)
    const { content } = await tools.call('read', { path: 'picture.txt' })
    expect(content[1]).toEqual({ type: 'image', mimeType, data: head.toString('base64') })
  }
  for (const bytes of [Buffer.from([1, 0, 2]), Buffer.from([0xff, 0xfe, 0x41, 0]), Buffer.from('caf\xe9', 'latin1')]) {
    await put('blob.png', bytes)
    expect(await tools.call('read', { path: 'blob.png' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is not UTF-8 text'),
    })
  }
  await put('big.png', Buffer.concat([png, Buffer.alloc(4 * 1024 * 1024)]))
  expect(await tools.call('read', { path: 'big.png' })).toMatchObject({ isError: true })
})

test('[NR109] write creates folders and replaces the whole file', async () => {
  expect((await tools.call('write', { path: 'a/b/c.txt', content: 'a long text' })).text).toBe(
    'Wrote 11 bytes to a/b/c.txt.',
  )
  await tools.call('write', { path: 'a/b/c.txt', content: 'ü' })
  expect(await text('a/b/c.txt')).toBe('ü')
  expect((await tools.call('write', { path: 'a/b', content: 'x' })).text).toContain('not a plain file')
  expect((await tools.call('write', { path: 'a/b/c.txt/d', content: 'x' })).text).toContain('not a folder')
})

test('[NR110] an edit whose text does not occur exactly once changes nothing', async () => {
  await put('a.txt', 'one\ntwo\ntwo\n')
  for (const [edits, problem] of [
    [[{ oldText: 'four', newText: 'x' }], 'is not in the file'],
    [[{ oldText: 'two', newText: 'x' }], 'more than once in the file (lines 2 and 3)'],
    [[{ oldText: 'one', newText: 'one' }], 'are the same'],
    [
      [
        { oldText: 'one', newText: 'x' },
        { oldText: 'four', newText: 'x' },
      ],
      'edits[1].oldText is not in the file',
    ],
    [
      [
        { oldText: 'one\ntwo\ntwo', newText: 'x' },
        { oldText: 'two\ntwo', newText: 'x' },
      ],
      'edits[0] and edits[1] overlap',
    ],
  ] as const) {
    expect(await tools.call('edit', { path: 'a.txt', edits })).toMatchObject({
      isError: true,
      text: expect.stringContaining(problem),
    })
  }
  expect(await text('a.txt')).toBe('one\ntwo\ntwo\n')
  await put('aaa.txt', 'aaa')
  expect((await tools.call('edit', { path: 'aaa.txt', edits: [{ oldText: 'aa', newText: 'b' }] })).text).toContain(
    'more than once',
  )
  expect((await tools.call('edit', { path: 'a.txt', edits: [] })).text).toContain('must not be empty')
})

test('[NR111] edits are searched in the original, never in the result of another edit', async () => {
  await put('a.txt', 'red green blue')
  const edits = [
    { oldText: 'green', newText: 'red' },
    { oldText: 'red', newText: 'green' },
    { oldText: 'blue', newText: '$& $1' },
  ]
  expect((await tools.call('edit', { path: 'a.txt', edits })).text).toBe('Replaced 3 pieces of a.txt.')
  expect(await text('a.txt')).toBe('green red $& $1')
})

test('[NR111] the order of edits makes no difference', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      (ids, turn) => {
        const original = ids.map((id) => `<${id}>`).join(' ')
        const edits = ids.map((id) => ({ oldText: `<${id}>`, newText: `<${(id + 1) % 51}>` }))
        const rotated = [...edits.slice(Math.abs(turn) % ids.length), ...edits.slice(0, Math.abs(turn) % ids.length)]
        const expected = ids.map((id) => `<${(id + 1) % 51}>`).join(' ')
        expect(applyEdits(original, edits)).toMatchObject({ text: expected })
        expect(applyEdits(original, rotated)).toMatchObject({ text: expected })
      },
    ),
  )
})

test('[NR111] two concurrent edits of one file both take effect', async () => {
  await put('a.txt', Array.from({ length: 20 }, (_, index) => `<${index}>`).join('\n'))
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      tools.call('edit', { path: 'a.txt', edits: [{ oldText: `<${index}>`, newText: `[${index}]` }] }),
    ),
  )
  expect(results.every((result) => !result.isError)).toBe(true)
  expect(await text('a.txt')).toBe(Array.from({ length: 20 }, (_, index) => `[${index}]`).join('\n'))
})

test('[NR112] a file with CRLF keeps it, whichever newline the model uses', async () => {
  await put('dos.txt', 'one\r\ntwo\r\nthree\r\n')
  await tools.call('edit', { path: 'dos.txt', edits: [{ oldText: 'one\ntwo', newText: 'uno\ndue' }] })
  await tools.call('edit', { path: 'dos.txt', edits: [{ oldText: 'due\r\nthree', newText: 'zwei\r\ndrei' }] })
  expect(await text('dos.txt')).toBe('uno\r\nzwei\r\ndrei\r\n')
  await put('mixed.txt', 'one\r\ntwo\nthree')
  expect(await tools.call('edit', { path: 'mixed.txt', edits: [{ oldText: 'one\ntwo', newText: 'x' }] })).toMatchObject(
    { isError: true },
  )
})

test('[NR117] invalid arguments get an explanation, and nothing is done', async () => {
  for (const [name, input, problem] of [
    ['read', {}, '"path" is missing'],
    ['read', { path: null }, '"path" is missing'],
    ['read', { path: 5 }, '"path" must be a string'],
    ['read', { path: 'a', offset: 0 }, '"offset" must be at least 1'],
    ['read', { path: 'a', offset: 1.5 }, '"offset" must be a whole number'],
    ['read', { path: 'a', ofset: 3 }, '"ofset" is not an argument; the arguments are path, offset, limit'],
    ['write', { path: 'a' }, '"content" is missing'],
    ['edit', { path: 'a', edits: 'x' }, '"edits" must be a list'],
    ['edit', { path: 'a', edits: [{ oldText: 'a' }] }, '"edits[0].newText" is missing'],
    ['exec', { command: 'true', env: { A: 1 } }, '"env.A" must be a string'],
    ['exec', { command: 'true', ask: 'never' }, '"ask" must be one of "off", "on-miss", "always"'],
    ['process', { action: 'fly' }, '"action" must be one of "list", "poll"'],
    ['process', { action: 'poll' }, '"sessionId" is required for poll'],
  ] as const) {
    expect(await tools.call(name, input)).toMatchObject({ isError: true, text: expect.stringContaining(problem) })
  }
  const tool = tools.tools.find(({ name }) => name === 'read')!
  expect(tool.check({ path: 'a', offset: null, limit: null })).toBeNull()
})

test('[NR117] no arguments make a tool reject', async () => {
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('list', 'poll', 'on-miss', '../x', '__proto__'))
  const keys = [
    'path',
    'content',
    'edits',
    'input',
    'command',
    'env',
    'action',
    'sessionId',
    'offset',
    '__proto__',
    'constructor',
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tools.tools.map(({ name }) => name)),
      fc.dictionary(fc.constantFrom(...keys), value),
      async (name, input) => {
        expect(typeof (await tools.call(name, input as Record<string, unknown>)).isError).toBe('boolean')
      },
    ),
  )
})
