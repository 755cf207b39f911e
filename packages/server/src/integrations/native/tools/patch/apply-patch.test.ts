import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInOrder } from '@clawboo/core'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { containedFiles } from '../../../../access/contained-path.ts'
import { createWorkspaceFiles, type WorkspaceFiles } from '../files/workspace-files.ts'
import { openTools, type TestTools } from '../test-tools.ts'
import { judgeApplyPatch } from '../tool-policy.ts'
import { applyHunks, createApplyPatchTool } from './apply-patch-tool.ts'
import { parsePatch } from './parse-patch.ts'

let tools: TestTools
beforeEach(async () => {
  tools = await openTools()
})
afterEach(() => tools.dispose())

const put = (name: string, content: string) => writeFile(join(tools.workspace, name), content)
const text = (name: string) => readFile(join(tools.workspace, name), 'utf8')
const patch = (...lines: string[]) =>
  tools.call('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

test('[NR113] an invalid patch is refused with the line number', () => {
  for (const [input, problem] of [
    ['', 'line 1 of the patch: expected "*** Begin Patch"'],
    ['hello', 'line 1 of the patch: expected "*** Begin Patch"'],
    ['*** Begin Patch', 'line 1 of the patch: expected "*** End Patch"'],
    ['*** Begin Patch\n*** End Patch', 'line 2 of the patch: the patch names no file'],
    ['*** Begin Patch\nhello\n*** End Patch', 'line 2 of the patch: expected "*** Add File: "'],
    ['*** Begin Patch\n*** Add File: \n+x\n*** End Patch', 'line 2 of the patch: expected "*** Add File: "'],
    [
      '*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch',
      'line 4 of the patch: every line of a new file must start with "+"',
    ],
    ['*** Begin Patch\n*** Update File: a\n*** End Patch', 'line 2 of the patch: the update of "a" changes nothing'],
    [
      '*** Begin Patch\n*** Update File: a\n@@\n x\n*** End Patch',
      'line 3 of the patch: this part of the update changes nothing',
    ],
    [
      '*** Begin Patch\n*** Update File: a\n@@\n-x\n?\n*** End Patch',
      'line 5 of the patch: expected a line that starts with',
    ],
    [
      '*** Begin Patch\n*** Update File: a\n*** Move to: \n@@\n-x\n*** End Patch',
      'line 3 of the patch: expected a path',
    ],
    ['*** Begin Patch\n*** Delete File: a\n+x\n*** End Patch', 'line 3 of the patch: expected "*** Add File: "'],
  ] as const) {
    expect(parsePatch(input)).toEqual({ problem: expect.stringContaining(problem) })
  }
})

test('[NR113] no text makes the parser throw', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: b',
      '*** Delete File: c',
      '*** Move to: d',
      '*** End of File',
      '@@',
      '@@ x',
      '+a',
      '-b',
      ' c',
      '',
    ),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const parsed = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'))
      expect('problem' in parsed ? parsed.problem : parsed.sections.length).toBeTruthy()
    }),
  )
})

test('[NR114] files are added, changed, moved and deleted together', async () => {
  await put('change.txt', 'one\ntwo\nthree\nfour\n')
  await put('move.txt', 'a\nb')
  await put('gone.txt', 'x')
  const result = await patch(
    '*** Delete File: gone.txt',
    '*** Update File: change.txt',
    ' one',
    '-two',
    '+2',
    '@@ three',
    '-four',
    '+4',
    '+5',
    '*** Update File: move.txt',
    '*** Move to: deep/moved.txt',
    '@@',
    '-b',
    '+B',
    '*** Add File: new/file.txt',
    '+hello',
    '+',
  )
  expect(result.text).toBe(
    'Success. Updated the following files:\nA new/file.txt\nM change.txt\nM deep/moved.txt\nD gone.txt',
  )
  expect(await text('change.txt')).toBe('one\n2\nthree\n4\n5\n')
  expect(await text('deep/moved.txt')).toBe('a\nB')
  expect(await text('new/file.txt')).toBe('hello\n\n')
  expect((await readdir(tools.workspace)).sort()).toEqual(['change.txt', 'deep', 'new'])
})

test('[NR114] one hunk that does not fit leaves every file unchanged', async () => {
  await put('a.txt', 'one\n')
  await put('b.txt', 'two\n')
  for (const [last, problem] of [
    [
      ['*** Update File: b.txt', '@@', '-three', '+x'],
      'line 7 of the patch: its lines were not found in the file, starting with "three"',
    ],
    [
      ['*** Update File: b.txt', '@@ nowhere', '-two', '+x'],
      'line 7 of the patch: "nowhere" was not found in the file',
    ],
    [['*** Update File: none.txt', '@@', '-x'], 'line 6 of the patch: there is no file "none.txt"'],
    [['*** Delete File: none.txt'], 'there is no file "none.txt"'],
    [['*** Add File: b.txt', '+x'], '"b.txt" already exists'],
    [['*** Update File: b.txt', '*** Move to: a.txt', '@@', '-two', '+x'], '"a.txt" already exists'],
    [['*** Update File: ./a.txt', '@@', '-one', '+x'], '"a.txt" is named twice'],
    [['*** Add File: ../out.txt', '+x'], 'outside the workspace'],
  ] as const) {
    const result = await patch('*** Update File: a.txt', '@@', '-one', '+1', ...last)
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(problem) })
    expect([await text('a.txt'), await text('b.txt')]).toEqual(['one\n', 'two\n'])
  }
  expect((await readdir(tools.workspace)).sort()).toEqual(['a.txt', 'b.txt'])
})

test('[NR114] a write that fails undoes the earlier writes', async () => {
  await put('a.txt', 'one\n')
  await put('b.txt', 'two\n')
  const real = createWorkspaceFiles(containedFiles(tools.base, { maxBytes: 1000 }).folder('agent/workspace'))
  const failing: WorkspaceFiles = {
    ...real,
    async stage(path, content) {
      const staged = await real.stage(path, content)
      if (path !== 'last.txt') return staged
      return { ...staged, commit: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) }
    },
  }
  const tool = createApplyPatchTool(failing, createInOrder())
  const lines = ['*** Update File: a.txt', '-one', '+1', '*** Delete File: b.txt', '*** Add File: n.txt', '+n']
  const input = ['*** Begin Patch', ...lines, '*** Add File: last.txt', '+x', '*** End Patch'].join('\n')
  const signal = new AbortController().signal
  const result = await tool.run({ input }, { callId: 'c', signal, askApproval: async () => 'deny' })
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('the disk is full') }] })
  expect([await text('a.txt'), await text('b.txt')]).toEqual(['one\n', 'two\n'])
  expect((await readdir(tools.workspace)).sort()).toEqual(['a.txt', 'b.txt'])
})

test.skipIf(process.getuid?.() === 0)('[NR114] a folder that cannot be written changes nothing', async () => {
  await put('a.txt', 'one\n')
  await mkdir(join(tools.workspace, 'locked'))
  await chmod(join(tools.workspace, 'locked'), 0o500)
  const result = await patch('*** Update File: a.txt', '@@', '-one', '+1', '*** Add File: locked/b.txt', '+x')
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('permission denied') })
  expect(await text('a.txt')).toBe('one\n')
  await chmod(join(tools.workspace, 'locked'), 0o700)
})

test('[NR115] hunks apply in order, after their context, and at the end of the file if marked so', () => {
  const apply = (original: string, ...lines: string[]) => {
    const parsed = parsePatch(['*** Begin Patch', '*** Update File: a', ...lines, '*** End Patch'].join('\n'))
    if ('problem' in parsed) throw new Error(parsed.problem)
    const section = parsed.sections[0]!
    if (section.kind !== 'update') throw new Error('not an update')
    return applyHunks(original, section.hunks)
  }
  expect(apply('x\ny\nx\ny\n', '@@', '-x', '+1', '@@', '-x', '+2')).toEqual({ text: '1\ny\n2\ny\n' })
  expect(apply('f\nx\ng\nx\n', '@@ g', '-x', '+1')).toEqual({ text: 'f\nx\ng\n1\n' })
  expect(apply('x\ny\nx\n', '@@', '-x', '+1', '*** End of File')).toEqual({ text: 'x\ny\n1\n' })
  expect(apply('a\nb\n', '@@ a', '+new')).toEqual({ text: 'a\nnew\nb\n' })
  expect(apply('a\nb\n', '@@', '+new')).toEqual({ text: 'a\nb\nnew\n' })
  expect(apply('a\nb', '@@', '-b', '+c')).toEqual({ text: 'a\nc' })
  expect(apply('a\n', '@@', '-a')).toEqual({ text: '' })
  expect(apply('', '@@', '+a')).toEqual({ text: 'a\n' })
  expect(apply('  a  \nb\n', '@@', ' a', '-b', '+c')).toEqual({ text: '  a  \nc\n' })
  expect(apply('a\n\nb\n', '@@', ' a', '', '-b', '+c')).toEqual({ text: 'a\n\nc\n' })
  expect(apply('b\na\n', '@@', '-a', '+1', '@@', '-b', '+2')).toHaveProperty('problem')
})

test('[NR115] a hunk built from two versions of a file turns one into the other', () => {
  const word = fc.stringMatching(/^[a-z]{1,4}$/)
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 20 }), fc.nat(), fc.array(word), (lines, at, added) => {
      const place = at % lines.length
      const hunk = {
        line: 1,
        context: null,
        atEnd: false,
        lines: [{ mark: '-' as const, text: lines[place]! }, ...added.map((text) => ({ mark: '+' as const, text }))],
      }
      const after = [...lines.slice(0, place), ...added, ...lines.slice(place + 1)]
      const expected = after.length === 0 ? '' : `${after.join('\n')}\n`
      expect(applyHunks(`${lines.join('\n')}\n`, [hunk])).toEqual({ text: expected })
    }),
  )
})

test('[NR116] apply_patch is offered to models that are trained on it, or to the configured models', () => {
  const offered = (gate: Parameters<typeof judgeApplyPatch>[0], provider: string, model: string) =>
    judgeApplyPatch(gate, { provider, model }).offered
  expect(offered({}, 'openai', 'gpt-5.5')).toBe(true)
  expect(offered({}, 'openrouter', 'openai/gpt-5.5')).toBe(true)
  expect(offered({}, 'anthropic', 'claude')).toBe(false)
  expect(offered({ enabled: false }, 'openai', 'gpt-5.5')).toBe(false)
  expect(offered({ allowModels: ['OpenAI/gpt-5.5'] }, 'openai', 'gpt-5.5')).toBe(true)
  expect(offered({ allowModels: ['gpt-5.5'] }, 'openai', 'gpt-4')).toBe(false)
  expect(judgeApplyPatch({ enabled: false }, { provider: 'openai', model: 'x' }).reason).toBe(
    'apply_patch is switched off',
  )
})
