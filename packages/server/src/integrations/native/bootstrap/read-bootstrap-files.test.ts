import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBootstrapReader, readBootstrapFiles } from './read-bootstrap-files.ts'

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawboo-bootstrap-'))
  workspace = join(folder, 'workspace')
  await mkdir(workspace)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const readOne = async (name: string, files = createBootstrapReader()) =>
  (await readBootstrapFiles(workspace, [name], files))[0]!

test('[NR16] a symbolic or hard link out of the workspace counts as missing', async () => {
  await writeFile(join(folder, 'secret'), 'secret')
  await symlink('../secret', join(workspace, 'SOUL.md'))
  await link(join(folder, 'secret'), join(workspace, 'USER.md'))
  await symlink('nowhere', join(workspace, 'TOOLS.md'))
  for (const name of ['SOUL.md', 'USER.md', 'TOOLS.md']) {
    expect(await readOne(name)).toEqual({
      name,
      path: join(workspace, name),
      text: null,
      absence: 'escapes',
      bytes: null,
    })
  }
})

test('[NR16] a workspace that is itself a link has no readable files', async () => {
  await writeFile(join(workspace, 'SOUL.md'), 'kind')
  await symlink(workspace, join(folder, 'alias'))
  expect((await readBootstrapFiles(join(folder, 'alias'), ['SOUL.md'], createBootstrapReader()))[0]).toMatchObject({
    text: null,
    absence: 'escapes',
  })
})

test('[NR16] a file of 2 MiB is read, and one byte more counts as missing, with its size', async () => {
  const limit = 2 * 1024 * 1024
  await writeFile(join(workspace, 'SOUL.md'), 'x'.repeat(limit))
  expect((await readOne('SOUL.md')).text).toHaveLength(limit)
  await truncate(join(workspace, 'SOUL.md'), limit + 1)
  expect(await readOne('SOUL.md')).toMatchObject({ text: null, absence: 'too large', bytes: limit + 1 })
})

test('[NR16] anything but a text file counts as missing, and a pipe does not block the read', async () => {
  await writeFile(join(workspace, 'SOUL.md'), Buffer.from([0xff, 0xfe, 0x41]))
  await mkdir(join(workspace, 'USER.md'))
  execFileSync('mkfifo', [join(workspace, 'TOOLS.md')])
  for (const name of ['SOUL.md', 'USER.md', 'TOOLS.md']) expect((await readOne(name)).absence).toBe('unreadable')
  expect((await readOne('AGENTS.md')).absence).toBe('missing')
})

test('[NR16] a name that is a path throws a TypeError', async () => {
  for (const name of ['../secret', 'a/b', '..', 'a\0']) await expect(readOne(name)).rejects.toThrow(TypeError)
})

test('[NR17] an unchanged file is not read again; a changed one is, even with the same size and time', async () => {
  const path = join(workspace, 'SOUL.md')
  const past = new Date(1_700_000_000_000)
  const later = createBootstrapReader(() => Date.now() + 10_000)
  await writeFile(path, 'first')
  await utimes(path, past, past)
  const kept = await later.read(path)
  expect(await later.read(path)).toBe(kept)
  await writeFile(path, 'other')
  await utimes(path, past, past)
  expect((await later.read(path)).text).toBe('other')
  await rm(path)
  expect(await later.read(path)).toMatchObject({ absence: 'missing' })
})

test('[NR17] a file that changed a moment ago is read every time', async () => {
  const path = join(workspace, 'SOUL.md')
  const files = createBootstrapReader(() => 0)
  await writeFile(path, 'text')
  expect(await files.read(path)).not.toBe(await files.read(path))
  for (let round = 0; round < 300; round++) {
    await writeFile(path, String(round).padStart(4, '0'))
    expect((await files.read(path)).text).toBe(String(round).padStart(4, '0'))
  }
})
