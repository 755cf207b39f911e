import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, makeRepository, openFixture } from './test-project.ts'

test('[BO129] a project is a separate repository with one commit, even inside another repository', async () => {
  const { worktrees, folder, prepare } = await openFixture()
  makeRepository(folder)
  const place = join(folder, 'projects', 'one')
  expect(await worktrees.makeProject(place, { 'README.md': '# One\n' })).toEqual({ ok: true, folder: place })
  expect(git(place, 'log', '--format=%an %s')).toBe('Clawboo Initial commit')
  expect(git(place, 'status', '--porcelain')).toBe('')
  const worktree = await prepare(1, place)
  expect(worktree.kind).toBe('worktree')
  expect(readFileSync(join(worktree.folder, 'README.md'), 'utf8')).toBe('# One\n')
})

test('[BO129] an existing folder is not changed', async () => {
  const { worktrees, folder } = await openFixture()
  const place = join(folder, 'mine')
  mkdirSync(place)
  writeFileSync(join(place, 'README.md'), 'Mine\n')
  await expect(worktrees.makeProject(place, { 'README.md': 'Theirs\n' })).rejects.toMatchObject({ code: 'EEXIST' })
  expect(readFileSync(join(place, 'README.md'), 'utf8')).toBe('Mine\n')
})

test('[BO129] a project that could not be completed is removed', async () => {
  const { worktrees, folder } = await openFixture({ path: '/nonexistent' })
  const place = join(folder, 'projects', 'one')
  expect(await worktrees.makeProject(place, { 'README.md': '# One\n' })).toMatchObject({
    ok: false,
    code: 'git_missing',
  })
  expect(existsSync(place)).toBe(false)
})
