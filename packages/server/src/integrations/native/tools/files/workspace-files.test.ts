import { execFileSync, spawn } from 'node:child_process'
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSoak } from '../../../../../../../test/seed.ts'
import { containedFiles } from '../../../../access/contained-path.ts'
import { openTools, type TestTools } from '../test-tools.ts'
import { createWorkspaceFiles } from './workspace-files.ts'

let tools: TestTools
let outside: string
beforeEach(async () => {
  tools = await openTools()
  outside = join(tools.base, 'outside.txt')
  await writeFile(outside, 'secret of the host\n')
})
afterEach(() => tools.dispose())

const inWorkspace = (...parts: string[]) => join(tools.workspace, ...parts)

/** Every way in which a tool can access a path. */
const touches = (path: string): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => [
  ['read', { path }],
  ['write', { path, content: 'overwritten' }],
  ['edit', { path, edits: [{ oldText: 'secret', newText: 'changed' }] }],
  ['apply_patch', { input: `*** Begin Patch\n*** Add File: ${path}\n+overwritten\n*** End Patch` }],
  ['apply_patch', { input: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }],
  ['apply_patch', { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-secret of the host\n+x\n*** End Patch` }],
]

async function expectRefused(path: string) {
  for (const [name, input] of touches(path)) {
    const result = await tools.call(name, input)
    expect([name, result.isError, result.text]).toEqual([name, true, expect.stringContaining('refused')])
    expect(result.text).not.toContain('secret')
  }
  expect(await readFile(outside, 'utf8')).toBe('secret of the host\n')
}

test('[NR100] a relative path is resolved in the workspace, and an absolute path inside names the same file', async () => {
  for (const path of [
    'a/b.txt',
    './a/b.txt',
    'x/../a/b.txt',
    'a//b.txt',
    inWorkspace('a/b.txt'),
    inWorkspace('q/../a/b.txt'),
  ]) {
    expect(await tools.call('write', { path, content: path })).toMatchObject({ isError: false })
    expect(await readFile(inWorkspace('a/b.txt'), 'utf8')).toBe(path)
    expect((await tools.call('read', { path })).text).toBe(path)
  }
})

test('[NR100] a workspace behind a link is accepted under both of its paths', async () => {
  await symlink(tools.base, join(tools.base, 'alias'))
  const files = createWorkspaceFiles(
    containedFiles(join(tools.base, 'alias', 'agent'), { maxBytes: 1000 }).folder('workspace'),
  )
  await writeFile(inWorkspace('a.txt'), 'x')
  for (const path of [inWorkspace('a.txt'), join(tools.base, 'alias/agent/workspace/a.txt')]) {
    const handle = await files.open(path)
    await handle!.close()
  }
  await expect(files.open(outside)).rejects.toMatchObject({ code: 'path_refused' })
})

test('[NR101] every file tool refuses a path out of the workspace, and nothing outside changes', async () => {
  for (const path of [
    '../outside.txt',
    '../../outside.txt',
    'a/../../../outside.txt',
    outside,
    `${tools.workspace}/../../outside.txt`,
    `${tools.workspace}-sibling/x`,
    '/etc/passwd',
    '/proc/self/environ',
    '~/x',
    '..',
    '.',
    'a\\b',
  ]) {
    await expectRefused(path)
  }
  expect(await readdir(tools.base)).toEqual(['agent', 'outside.txt'])
})

test('[NR101] a NUL, half a character and a very long name are refused', async () => {
  for (const path of ['a\0b', 'a'.repeat(5000), ' '])
    expect((await tools.call('read', { path })).text).toContain('refused')
  expect(await tools.call('write', { path: 'a\ud800', content: '' })).toMatchObject({ isError: true })
  expect(await tools.call('write', { path: 'n'.repeat(300), content: '' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('name is too long'),
  })
  expect(await tools.call('write', { path: 'half', content: 'a\udc00' })).toMatchObject({ isError: true })
  expect(await readdir(tools.workspace)).toEqual([])
})

test('[NR102] a symbolic link anywhere in the path is refused, even to a place inside', async () => {
  await symlink(outside, inWorkspace('link.txt'))
  await symlink(tools.base, inWorkspace('folder'))
  await writeFile(inWorkspace('real.txt'), 'secret')
  await symlink('real.txt', inWorkspace('inner.txt'))
  await symlink('missing.txt', inWorkspace('dangling.txt'))
  for (const path of ['link.txt', 'folder/outside.txt', 'inner.txt', 'dangling.txt']) await expectRefused(path)
  expect(await tools.call('write', { path: 'folder/new/deep.txt', content: 'x' })).toMatchObject({ isError: true })
  expect(await readdir(tools.base)).toEqual(['agent', 'outside.txt'])
})

test('[NR102] a second hard link, a folder, a pipe and a device are refused', async () => {
  await link(outside, inWorkspace('twin.txt'))
  await mkdir(inWorkspace('folder'))
  execFileSync('mkfifo', [inWorkspace('pipe')])
  for (const path of ['twin.txt', 'folder', 'pipe']) await expectRefused(path)
})

/** Swaps `folder` between a real folder, nothing, and a link to another place, as fast as possible. */
const SWAPPER = `
  const fs = require('node:fs')
  const [workspace, elsewhere] = process.argv.slice(1)
  process.chdir(workspace)
  const attempt = (act) => { try { act() } catch {} }
  const parent = process.ppid
  while (process.ppid === parent) {
    // A write that found no folder created one, which would block the swap for ever.
    attempt(() => fs.rmSync('folder', { recursive: true, force: true }))
    attempt(() => fs.mkdirSync('real'))
    attempt(() => fs.writeFileSync('real/file.txt', 'inside', { flag: 'wx' }))
    attempt(() => fs.symlinkSync(elsewhere, 'link'))
    for (let times = 0; times < 100; times++) {
      attempt(() => fs.renameSync('real', 'folder'))
      attempt(() => fs.renameSync('folder', 'real'))
      attempt(() => fs.renameSync('link', 'folder'))
      attempt(() => fs.renameSync('folder', 'link'))
    }
  }`

test('[NR103] a folder that is repeatedly replaced by a link never leads outside', {
  timeout: 120_000,
}, async () => {
  await mkdir(join(tools.base, 'elsewhere'))
  await writeFile(join(tools.base, 'elsewhere', 'file.txt'), 'secret of the host')
  const swapper = spawn(process.execPath, ['-e', SWAPPER, tools.workspace, join(tools.base, 'elsewhere')], {
    stdio: 'ignore',
  })
  try {
    const rounds = isSoak ? 10_000 : 500
    let [inside, refused] = [0, 0]
    for (let round = 0; round < rounds || (round < rounds * 10 && inside * refused === 0); round++) {
      const result = await tools.call('read', { path: 'folder/file.txt' })
      expect(result.text).not.toContain('secret')
      if (result.text === 'inside') inside++
      else if (result.text.includes('refused')) refused++
      if (round % 10 === 0) await tools.call('write', { path: 'folder/made.txt', content: 'made' })
    }
    expect([inside > 0, refused > 0]).toEqual([true, true])
  } finally {
    const gone = new Promise((resolve) => swapper.once('exit', resolve))
    swapper.kill('SIGKILL')
    await gone
  }
  expect(await readdir(join(tools.base, 'elsewhere'))).toEqual(['file.txt'])
})

describe('without a kernel that shows open files', () => {
  test('[NR103] an existing link is refused as well', async () => {
    const files = createWorkspaceFiles(
      containedFiles(tools.base, { maxBytes: 1000, descriptors: '/nowhere' }).folder('agent/workspace'),
    )
    await symlink(tools.base, inWorkspace('folder'))
    await expect(files.open('folder/outside.txt')).rejects.toMatchObject({ code: 'path_refused' })
    await expect(files.stage('folder/x', 'x')).rejects.toMatchObject({ code: 'path_refused' })
    await (await files.stage('plain/x.txt', 'x')).commit()
    expect(await readFile(inWorkspace('plain/x.txt'), 'utf8')).toBe('x')
    const staged = await files.stage('plain/x.txt', 'y')
    execFileSync('mv', [inWorkspace('plain'), inWorkspace('moved')])
    await symlink(tools.base, inWorkspace('plain'))
    await expect(staged.commit()).rejects.toMatchObject({ code: 'path_refused' })
    await staged.discard()
    expect(await readdir(tools.base)).toEqual(['agent', 'outside.txt'])
  })
})

test('[NR104] without the workspace restriction any path is allowed and links are followed, but a pipe is still refused', async () => {
  const free = await openTools({ workspaceOnly: false })
  try {
    await symlink(outside, join(free.workspace, 'link.txt'))
    expect((await free.call('read', { path: outside })).text).toBe('secret of the host\n')
    expect((await free.call('read', { path: 'link.txt' })).text).toBe('secret of the host\n')
    await free.call('edit', { path: 'link.txt', edits: [{ oldText: 'secret', newText: 'word' }] })
    expect(await readFile(outside, 'utf8')).toBe('word of the host\n')
    await free.call('write', { path: '../beside/new.txt', content: 'x' })
    expect(await readFile(join(free.base, 'agent/beside/new.txt'), 'utf8')).toBe('x')
    execFileSync('mkfifo', [join(free.workspace, 'pipe')])
    expect(await free.call('read', { path: 'pipe' })).toMatchObject({ isError: true })
    expect((await free.call('exec', { command: 'true', workdir: '..' })).text).toContain('Denied')
  } finally {
    await free.dispose()
  }
})

test('[NR105] a changed file keeps its mode, and no other file is left next to it', async () => {
  await writeFile(inWorkspace('run.sh'), '#!/bin/sh\necho one\n')
  await chmod(inWorkspace('run.sh'), 0o755)
  await tools.call('edit', { path: 'run.sh', edits: [{ oldText: 'one', newText: 'two' }] })
  expect((await stat(inWorkspace('run.sh'))).mode & 0o777).toBe(0o755)
  await tools.call('write', { path: 'run.sh', content: 'x' })
  expect((await stat(inWorkspace('run.sh'))).mode & 0o777).toBe(0o755)
  expect(await readdir(tools.workspace)).toEqual(['run.sh'])
})
