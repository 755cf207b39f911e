import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Build, buildOnce } from '../scripts/build-once.ts'
import { removeOldBuilds } from '../scripts/build-program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawboo-build-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A build that writes its digest to `result` and appends a line to `builds`. */
function build(digest: string, more = ''): Build {
  const script = `const fs = require('node:fs'); const [out, log] = process.argv.slice(1); ${more}
    fs.mkdirSync(out); fs.writeFileSync(out + '/result', '${digest}'); fs.appendFileSync(log, 'built\\n')`
  const log = join(folder, 'builds')
  return { name: 'a test', output: join(folder, 'dist'), digest, command: (out) => ['-e', script, out, log] }
}
const result = () => readFileSync(join(folder, 'dist/result'), 'utf8')
const count = () => readFileSync(join(folder, 'builds'), 'utf8').split('\n').length - 1

test('[AR18] builds once for the same files, even when two commands start together, and again after a change', async () => {
  await Promise.all([buildOnce(build('one')), buildOnce(build('one'))])
  await buildOnce(build('one'))
  expect([result(), count()]).toEqual(['one', 1])
  await buildOnce(build('two'))
  expect([result(), count()]).toEqual(['two', 2])
})

test('[AR18] a build that fails leaves the earlier one, and the next attempt builds again', async () => {
  await buildOnce(build('one'))
  await expect(buildOnce(build('two', 'process.exit(1);'))).rejects.toThrow()
  expect(result()).toBe('one')
  await buildOnce(build('two'))
  expect(result()).toBe('two')
})

test('[AR18] a lock that a killed build left is taken over at once', async () => {
  const dead = spawnSync(process.execPath, ['-e', '0']).pid
  mkdirSync(join(folder, '.cache'))
  writeFileSync(join(folder, '.cache/building'), String(dead))
  mkdirSync(join(folder, '.cache/build-left'))
  await buildOnce(build('one'))
  expect([result(), readdirSync(join(folder, '.cache'))]).toEqual(['one', []])
})

test('[AR18] an unwritable folder causes an error instead of a wait', async () => {
  mkdirSync(join(folder, '.cache/building'), { recursive: true })
  await expect(buildOnce(build('one'))).rejects.toThrow()
})

test('[AR18] a build that was used within the last month stays for the server that runs it', () => {
  const [old, recent, used] = ['old', 'recent', 'used'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [old, recent, used]) mkdirSync(path)
  const daysAgo = (days: number) => Date.now() / 1000 - days * 24 * 60 * 60
  utimesSync(old, daysAgo(31), daysAgo(31))
  utimesSync(used, daysAgo(31), daysAgo(31))
  utimesSync(recent, daysAgo(29), daysAgo(29))
  removeOldBuilds(folder, used)
  expect(readdirSync(folder).sort()).toEqual(['recent', 'used'])
  expect(existsSync(old)).toBe(false)
})
