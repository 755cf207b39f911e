import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const rules = globSync('docs/specs/*.md', { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(/^- \*\*([A-Z]{2}\d+)\*\* (.+)$/gm)].map((match) => ({
    id: match[1]!,
    text: match[2]!,
    file,
  })),
)
const testFiles = globSync(['packages/*/src/**/*.ts', 'packages/*/src/**/*.tsx', 'test/**/*.ts', 'examples/**/*.ts'], {
  cwd: root,
})
/** A test's title starts with its rule and may be on the line after `test(`. */
const cited = new Set(
  testFiles.flatMap((file) => [...read(file).matchAll(/['"`]\[([A-Z]{2}\d+)\] /g)].map((match) => match[1]!)),
)

test('[AR7] every rule in the specs has a test that names it', () => {
  expect(
    rules
      .filter((rule) => !cited.has(rule.id) && !rule.text.startsWith('(deferred:'))
      .map((rule) => `${rule.id} (${rule.file})`),
  ).toEqual([])
})

test('[AR7] every rule that a test names is in the specs, once', () => {
  const ids = rules.map((rule) => rule.id)
  expect([...cited].filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('[AR8] every test names its rule at the start of its name', () => {
  const nameless = testFiles
    .filter((file) => /\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/^\s*(?:test|it)(?:\.\w+)?\(\s*(['"`])(?!\[[A-Z]{2}\d+\] )(.*)$/gm)].map(
        (match) => `${file}: ${match[2]}`,
      ),
    )
  expect(nameless).toEqual([])
})
