import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { type ContainedFiles, containedFiles } from './contained-path.ts'

let base: string
let root: string
let files: ContainedFiles
beforeEach(async () => {
  base = await temporaryHome()
  root = join(base, 'root')
  await mkdir(root)
  await writeFile(join(base, 'outside'), 'outside')
  files = containedFiles(root, { maxBytes: 100 })
})
afterEach(() => removeHome(base))

const refused = { code: 'path_refused' }

test('[SE17] a plain path is written whole and read back, through new folders', async () => {
  await files.write('a/b/c.txt', 'one')
  await files.write('a/b/c.txt', 'two')
  expect((await files.read('a/b/c.txt'))?.toString()).toBe('two')
  expect(await files.read('a/b/none.txt')).toBeNull()
  expect(await files.read('no/folder/none.txt')).toBeNull()
})

test('[SE17] a path that leaves its root is refused for reading and writing', async () => {
  for (const path of [
    '',
    '.',
    '..',
    '../outside',
    'a/../../outside',
    '/etc/passwd',
    join(base, 'outside'),
    'a//b',
    'a/./b',
    'a\0b',
    '..\\outside',
    'a/',
  ]) {
    await expect(files.read(path)).rejects.toMatchObject(refused)
    await expect(files.write(path, 'x')).rejects.toMatchObject(refused)
  }
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
})

test('[SE17] a link at the end is not followed, and writing replaces the link itself', async () => {
  await symlink(join(base, 'outside'), join(root, 'link'))
  await expect(files.read('link')).rejects.toMatchObject(refused)
  await files.write('link', 'inside')
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
  expect((await files.read('link'))?.toString()).toBe('inside')
})

test('[SE17] a link on the way is refused', async () => {
  await symlink(base, join(root, 'folder'))
  await expect(files.read('folder/outside')).rejects.toMatchObject(refused)
  await expect(files.write('folder/outside', 'x')).rejects.toMatchObject(refused)
  await expect(files.write('folder/made/by/us', 'x')).rejects.toMatchObject(refused)
  expect(await readdir(base)).toEqual(['outside', 'root'])
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
})

test('[SE17] a root that is itself a link is refused', async () => {
  await symlink(root, join(base, 'linked-root'))
  await expect(containedFiles(join(base, 'linked-root'), { maxBytes: 100 }).read('x')).rejects.toMatchObject(refused)
})

test('[SE17] a second hard link, a folder, a pipe and an oversized file are refused', async () => {
  await link(join(base, 'outside'), join(root, 'twin'))
  await mkdir(join(root, 'folder'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  await writeFile(join(root, 'big'), 'x'.repeat(101))
  for (const path of ['twin', 'folder', 'pipe', 'big']) await expect(files.read(path)).rejects.toMatchObject(refused)
  await files.write('twin', 'inside')
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
})

test('[SE17] removing a folder stays inside the root and follows no link', async () => {
  await files.write('a/b.txt', 'x')
  await symlink(base, join(root, 'a', 'link'))
  await files.remove('a')
  expect(await files.read('a/b.txt')).toBeNull()
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
  await files.remove('never-there')
  await expect(files.remove('../outside')).rejects.toMatchObject(refused)
  await symlink(base, join(root, 'folder'))
  await expect(files.remove('folder/root')).rejects.toMatchObject(refused)
})
