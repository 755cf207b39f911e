import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildPage } from '../../../scripts/build-page.ts'

const LIMIT_BYTES = 200_000

test('[PG40] the first load is under 200 kB of gzipped script and contains no editor, API page or zod', async () => {
  const dist = await buildPage()
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map((match) => match[1]!)
  expect(scripts.length).toBeGreaterThan(1)
  const texts = scripts.map((script) => readFileSync(join(dist, script)))
  expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(LIMIT_BYTES)
  expect(texts.join('\n')).not.toMatch(/cm-editor|ZodError|Specific errors/)
})

test('[PG40] no script contains zod, nothing is inline, and every text file has a gzip copy', async () => {
  const dist = await buildPage()
  const files = globSync('**/*.{js,css,html,svg}', { cwd: dist })
  const read = (file: string) => readFileSync(join(dist, file), 'utf8')
  expect(files.filter((file) => file.endsWith('.js') && read(file).includes('ZodError'))).toEqual([])
  expect(files.filter((file) => readFileSync(join(dist, `${file}.gz`)).length === 0)).toEqual([])
  expect(read('index.html')).not.toMatch(/<style|<script(?![^>]*\bsrc=)/)
})
