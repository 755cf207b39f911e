import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
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

test('[SE17] writes a whole file through new folders and reads it back', async () => {
  await files.write('a/b/c.txt', 'one')
  await files.write('a/b/c.txt', 'two')
  expect((await files.read('a/b/c.txt'))?.toString()).toBe('two')
  expect(await files.read('a/b/none.txt')).toBeNull()
  expect(await files.read('no/folder/none.txt')).toBeNull()
})

test('[SE17] refuses to read or write a path that leaves its root', async () => {
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

test('[SE17] does not follow a link at the end of a path; writing replaces the link itself', async () => {
  await symlink(join(base, 'outside'), join(root, 'link'))
  await expect(files.read('link')).rejects.toMatchObject(refused)
  await files.write('link', 'inside')
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
  expect((await files.read('link'))?.toString()).toBe('inside')
})

test('[SE17] refuses a link in the middle of a path', async () => {
  await symlink(base, join(root, 'folder'))
  await expect(files.read('folder/outside')).rejects.toMatchObject(refused)
  await expect(files.write('folder/outside', 'x')).rejects.toMatchObject(refused)
  await expect(files.write('folder/made/by/us', 'x')).rejects.toMatchObject(refused)
  expect(await readdir(base)).toEqual(['outside', 'root'])
  expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside')
})

test('[SE17] refuses a root that is itself a link', async () => {
  await symlink(root, join(base, 'linked-root'))
  await expect(containedFiles(join(base, 'linked-root'), { maxBytes: 100 }).read('x')).rejects.toMatchObject(refused)
})

test('[SE17] refuses a second hard link, a folder, a pipe and an oversized file', async () => {
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

test.each(['/proc/self/fd', '/nowhere'])(
  '[SE17] lists a folder without following links, and never one outside the root (%s)',
  async (descriptors) => {
    const folder = containedFiles(root, { maxBytes: 100, descriptors }).folder('desk')
    expect(await folder.list('', 10)).toBeNull()
    await files.write('desk/a/b.txt', 'x')
    await symlink(base, join(root, 'desk', 'link'))
    const names = (await folder.list('', 10))?.entries.map(({ name, kind }) => [name, kind])
    expect(names).toEqual([
      ['a', 'folder'],
      ['link', 'other'],
    ])
    expect(await folder.list('', 1)).toMatchObject({ entries: [{ name: 'a' }], truncated: true })
    expect(await folder.list('none', 10)).toBeNull()
    for (const path of ['..', 'link', 'link/root', 'a/..', 'a/b.txt', '/', base, 'a\0'])
      await expect(folder.list(path, 10), path).rejects.toMatchObject(refused)
  },
)

test('[SE17] lists nothing from outside when a folder is swapped for a link during the listing', async () => {
  const folder = files.folder('desk')
  await files.write('desk/inner/mine', 'x')
  await symlink(base, join(root, 'link'))
  const place = join(root, 'desk', 'inner')
  let isOver = false
  const exchange = async () => {
    while (!isOver) {
      await rename(place, join(root, 'aside'))
      await rename(join(root, 'link'), place)
      await rename(place, join(root, 'link'))
      await rename(join(root, 'aside'), place)
    }
  }
  const exchanging = exchange()
  const seen = new Set<string>()
  try {
    for (let round = 0; round < 300; round++) {
      const listing = await folder.list('inner', 10).catch((error: { code: string }) => {
        expect(error).toMatchObject(refused)
        return null
      })
      for (const { name } of listing?.entries ?? []) seen.add(name)
    }
  } finally {
    isOver = true
    await exchanging
  }
  expect([...seen].filter((name) => name !== 'mine')).toEqual([])
})
