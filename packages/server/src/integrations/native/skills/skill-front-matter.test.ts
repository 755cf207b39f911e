import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frontMatterOf, parseSkillHead } from './skill-front-matter.ts'

const parse = async (...lines: string[]) => parseSkillHead(frontMatterOf(['---', ...lines, '---', 'body'].join('\n'))!)
const head = async (...lines: string[]) => {
  const result = await parse(...lines)
  if ('problem' in result) throw new Error(result.problem)
  return result.head
}
const named = ['name: a-skill', 'description: Does a thing']

test('[NR54] a skill needs a name and a description', async () => {
  expect(await parse('name: x')).toEqual({ problem: 'it has no description' })
  expect(await parse('description: x')).toEqual({ problem: 'it has no name' })
  expect(frontMatterOf('# no front matter')).toBeNull()
  expect(frontMatterOf('---\nname: never closed\n')).toBeNull()
  expect(frontMatterOf('---\r\nname: x\r\n---\r\n')).toBe('name: x\n')
})

test('[NR54] the optional fields have their defaults', async () => {
  expect(await head(...named)).toEqual({
    name: 'a-skill',
    description: 'Does a thing',
    modelInvocable: true,
    gate: { key: 'a-skill', always: false, os: [], bins: [], anyBins: [], env: [], config: [] },
  })
  const optional = ['user-invocable: false', 'disable-model-invocation: true', 'homepage: https://example.org']
  expect(await head(...named, ...optional)).toMatchObject({ modelInvocable: false })
})

test('[NR54] a description that is too long is cut off', async () => {
  const long = await head('name: a', `description: ${'x'.repeat(1025)}`)
  expect(long.description).toHaveLength(1024)
})

const GATE = { bins: ['ffmpeg'], os: ['linux'], key: 'media', env: ['MEDIA_KEY'] }
const FIELDS =
  '"skillKey": "media", "primaryEnv": "MEDIA_KEY", "os": ["linux"], "requires": {"bins": ["ffmpeg"], "env": ["MEDIA_KEY"]}'

test('[NR55] metadata can be JSON on a line, a loose block, plain YAML, or a string', async () => {
  const forms = [
    [`metadata: {"clawboo": {${FIELDS}}}`],
    ['metadata:', '  {', `    "clawboo": { ${FIELDS}, },`, '  }'],
    [
      'metadata:',
      '  clawboo:',
      '    skillKey: media',
      '    primaryEnv: MEDIA_KEY',
      '    os: linux',
      '    requires:',
      '      bins: [ffmpeg]',
      '      env:',
      '        - MEDIA_KEY',
    ],
    [`metadata: '{"clawboo": {${FIELDS}}}'`],
    ['metadata: |', `  {"clawboo": {${FIELDS}}}`],
  ]
  for (const form of forms) expect((await head(...named, ...form)).gate).toMatchObject(GATE)
})

test('[NR55] an unquoted colon loses neither the text nor the requirements', async () => {
  const lines = [
    'name: a-skill',
    'description: Use when: a thing is asked, e.g. "x": y',
    `metadata: {"clawboo": {${FIELDS}}}`,
  ]
  const read = await head(...lines)
  expect(read.description).toBe('Use when: a thing is asked, e.g. "x": y')
  expect(read.gate).toMatchObject(GATE)
})

test('[NR55] a skill with unreadable metadata is refused', async () => {
  expect(await parse(...named, 'metadata: "{ not: [ closed"')).toEqual({ problem: 'its metadata cannot be read' })
  expect(await parse(...named, 'metadata: [1]')).toEqual({ problem: 'its metadata cannot be read' })
})

test('[NR56] fields of other products are used when there are none of ours', async () => {
  const other = `"someone": {${FIELDS}}`
  expect((await head(...named, `metadata: {"author": "x", "version": 2, ${other}}`)).gate).toMatchObject(GATE)
  expect((await head(...named, `metadata: {${other}, "clawboo": {"always": true}}`)).gate).toMatchObject({
    always: true,
    bins: [],
  })
  const second = '{"first": {"about": 1}, "second": {"emoji": "x", "always": true}}'
  expect((await head(...named, `metadata: ${second}`)).gate.always).toBe(true)
  expect((await head(...named, 'metadata: {"a": {"os": "linux"}, "b": {"os": "darwin"}}')).gate.os).toEqual(['linux'])
})

test('[NR68] malicious front matter is refused or read as text, and never throws', async () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((key, at) => `${key}: &${key} [${`*${'abcdefg'[at]},`.repeat(9)}]`),
  ]
  const hostile = [
    bomb,
    ['__proto__: {polluted: 1}'],
    [`x: ${'['.repeat(20_000)}`],
    ['x: !!js/function "() => 1"'],
    ['<<: 1', '? [a]: b'],
  ]
  for (const lines of hostile) expect(await parse(...lines, ...named)).toBeDefined()
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(await parse(...named, `x: ${'y'.repeat(40_000)}`)).toMatchObject({ problem: expect.stringContaining('32768') })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const result = await parseSkillHead(text)
      if ('head' in result) expect(result.head.name).not.toMatch(/[\n\r\0]/)
    }),
  )
})
