import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crashAt } from './test-crash.ts'
import { dieAtSteps } from './test-crash-steps.ts'
import { commitAll, git, listFiles, ME, makeRepository, openFixture, personsOwn, tryGit } from './test-project.ts'
import type { GitWorktree } from './worktree.ts'

async function open() {
  const fixture = await openFixture()
  const { project } = fixture
  makeRepository(project)
  mkdirSync(join(project, 'sub'))
  for (const name of ['a.txt', 'sub/b.txt']) writeFileSync(join(project, name), `${name}\n`)
  writeFileSync(join(project, '.gitignore'), 'ignored*\n')
  commitAll(project)
  const worktree = (await fixture.prepare()) as GitWorktree
  const at = (name: string) => join(worktree.folder, name)
  /** Expects the worktree and the project to stay unchanged. */
  const stays = async (words: RegExp) => {
    const before = [listFiles(worktree.folder), personsOwn(project)]
    const result = await fixture.worktrees.cleanUp(worktree)
    expect(result).toMatchObject({ outcome: 'parked', because: expect.stringMatching(words) })
    expect([listFiles(worktree.folder), personsOwn(project)]).toEqual(before)
  }
  return { ...fixture, worktree, at, stays }
}

const isRemoved = (root: string, project: string) => {
  expect([...listFiles(root).keys()]).toEqual([])
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect(git(project, 'for-each-ref', 'refs/heads/clawboo')).toBe('')
}

describe('cleaning up', () => {
  test('[BO121] removes an unchanged worktree with its branch and its folder in the repository', async () => {
    const { root, project, worktrees, worktree } = await open()
    const before = personsOwn(project)
    expect(await worktrees.cleanUp(worktree)).toEqual({ ok: true, outcome: 'removed' })
    isRemoved(root, project)
    expect(personsOwn(project)).toEqual(before)
    expect(await worktrees.cleanUp(worktree)).toEqual({ ok: true, outcome: 'nothing' })
    expect((await worktrees.prepareWorktree({ ...worktree, ownFolder: root })).ok).toBe(true)
  })

  test('[BO121] removes a worktree that was merged here or by the person’s own git', async () => {
    const { root, project, worktrees, worktree, at } = await open()
    writeFileSync(at('a.txt'), 'task\n')
    commitAll(worktree.folder)
    git(project, 'merge', '-q', worktree.branch)
    expect(await worktrees.cleanUp(worktree)).toEqual({ ok: true, outcome: 'removed' })
    isRemoved(root, project)
  })

  test('[BO122] any kind of change keeps the folder', async () => {
    const changes: [(at: (name: string) => string, folder: string) => void, RegExp][] = [
      [(at) => writeFileSync(at('a.txt'), 'task\n'), /a\.txt is changed/],
      [(at) => rmSync(at('a.txt')), /a\.txt is deleted/],
      [(at) => writeFileSync(at('new'), ''), /new is new/],
      [(at) => writeFileSync(at('ignored'), ''), /ignored files, such as ignored/],
      [(_, folder) => git(folder, 'rm', '-q', '--cached', 'a.txt'), /staged/],
      [(at) => makeRepository(at('inner')), /inner is a separate repository/],
      [(at) => makeRepository(at('ignored/inner')), /inner is a separate repository/],
      [(_, folder) => commitAll(folder), /commits that are on no branch/],
      [(_, folder) => git(folder, 'worktree', 'lock', folder), /locked/],
      [(_, folder) => git(folder, 'bisect', 'start'), /bisect/],
    ]
    for (const [change, words] of changes) {
      const { worktree, at, stays } = await open()
      change(at, worktree.folder)
      await stays(words)
    }
  })

  test('[BO122] a change keeps the folder even if git should ignore it or the file has its old time', async () => {
    const { worktree, at, stays } = await open()
    git(worktree.folder, 'update-index', '--assume-unchanged', 'a.txt')
    writeFileSync(at('a.txt'), 'hidden\n')
    await stays(/a\.txt is changed/)
    git(worktree.folder, 'update-index', '--no-assume-unchanged', '--skip-worktree', 'a.txt')
    await stays(/a\.txt is changed/)
  })

  test('[BO122] a commit that is only in a stash, on a remote or on another task’s branch keeps the folder', async () => {
    const { project, worktree, stays, prepare } = await open()
    const commit = commitAll(worktree.folder)
    git(project, 'update-ref', 'refs/stash', commit)
    git(project, 'update-ref', 'refs/remotes/origin/main', commit)
    const other = (await prepare(2)) as GitWorktree
    git(other.folder, 'reset', '-q', '--hard', commit)
    await stays(/commits that are on no branch/)
  })

  test('[BO122] a worktree with ignored files stays, and is removed after they are deleted', async () => {
    const { worktrees, worktree, stays, at } = await open()
    mkdirSync(at('ignored-folder'))
    writeFileSync(at('ignored-folder/x'), '')
    await stays(/ignored files, such as ignored-folder\/x/)
    rmSync(at('ignored-folder'), { recursive: true })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO122] a worktree stays when its repository is gone or no longer lists it', async () => {
    const { project, folder, stays, worktree, worktrees } = await open()
    renameSync(join(project, '.git', 'worktrees'), join(folder, 'admin'))
    await stays(/no longer lists it/)
    rmSync(project, { recursive: true })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
    expect(existsSync(join(worktree.folder, 'a.txt'))).toBe(true)
  })

  test('[BO122] a worktree that became a separate repository stays, with the files beside it', async () => {
    const { worktrees, worktree, stays, at, folder, prepare, root } = await open()
    const plain = join(folder, 'plain')
    mkdirSync(plain)
    const copy = await prepare(2, plain)
    makeRepository(copy.folder)
    const commit = commitAll(copy.folder)
    expect(await worktrees.cleanUp(copy)).toMatchObject({ outcome: 'parked' })
    expect(git(copy.folder, 'rev-parse', 'HEAD')).toBe(commit)
    const link = readFileSync(at('.git'), 'utf8')
    rmSync(at('.git'))
    makeRepository(worktree.folder)
    await stays(/separate repository/)
    rmSync(at('.git'), { recursive: true })
    writeFileSync(at('.git'), link)
    writeFileSync(at('../beside'), 'kept\n')
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
    expect(readFileSync(join(root, 'task', '1', 'beside'), 'utf8')).toBe('kept\n')
  })

  test('[BO122] a branch that the person has checked out is not deleted', async () => {
    const { project, worktrees, worktree } = await open()
    git(worktree.folder, 'checkout', '-q', '--detach')
    git(project, 'checkout', '-q', worktree.branch)
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
    expect(git(project, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}`)
    const other = await open()
    const commit = commitAll(other.worktree.folder)
    git(other.worktree.folder, 'checkout', '-q', '--detach')
    git(other.project, 'checkout', '-q', '--detach', commit)
    await other.stays(/commits that are on no branch/)
  })

  test('[BO123] commits that are only in the worktree’s reflog get a ref', async () => {
    const { root, project, worktrees, worktree, at } = await open()
    writeFileSync(at('a.txt'), 'first\n')
    const first = commitAll(worktree.folder)
    git(worktree.folder, 'commit', '-q', '--amend', '-m', 'amended')
    const amended = git(worktree.folder, 'rev-parse', 'HEAD')
    git(worktree.folder, 'checkout', '-q', '--detach')
    writeFileSync(at('a.txt'), 'detached\n')
    const detached = commitAll(worktree.folder)
    git(worktree.folder, 'checkout', '-q', worktree.branch)
    git(worktree.folder, 'reset', '-q', '--hard', worktree.base)
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
    isRemoved(root, project)
    const kept = git(project, 'for-each-ref', '--format=%(objectname)', 'refs/clawboo/kept').split('\n')
    expect(kept.sort()).toEqual([first, amended, detached].sort())
    expect(git(project, 'branch', '--list')).toBe('* main')
  })

  for (const kind of ['merged', 'reflog', 'changed', 'copy'] as const) {
    test(`[BO124] after a crash at any step the next clean-up finishes and nothing is lost: ${kind}`, {
      timeout: 300_000,
    }, async () => {
      const last = await dieAtSteps(async (dieAt) => {
        const { root, project, worktrees, worktree: first, prepare, folder, at } = await open()
        const plain = join(folder, 'plain')
        mkdirSync(plain)
        writeFileSync(join(plain, 'x'), 'x\n')
        const worktree = kind === 'copy' ? await prepare(2, plain) : first
        if (kind === 'copy') await worktrees.cleanUp(first)
        else writeFileSync(at('a.txt'), 'task\n')
        if (kind === 'merged') await worktrees.merge(worktree, ME)
        if (kind === 'reflog') commitAll(first.folder)
        const commit = kind === 'copy' ? null : git(first.folder, 'rev-parse', 'HEAD')
        if (kind === 'reflog') git(first.folder, 'reset', '-q', '--hard', first.base)
        const before = personsOwn(project)
        const crashed = crashAt({ root, call: 'cleanUp', worktree, project, dieAt })
        const result = await worktrees.cleanUp(worktree)
        if (kind === 'changed') {
          expect(result).toMatchObject({ outcome: 'parked' })
          expect(readFileSync(at('a.txt'), 'utf8')).toBe('task\n')
        } else {
          expect(['removed', 'nothing']).toContain(result.ok && result.outcome)
          isRemoved(root, project)
        }
        expect(personsOwn(project)).toEqual(before)
        if (commit) expect(git(project, 'rev-list', '--all').split('\n')).toContain(commit)
        expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
        return crashed
      })
      expect(last).toBeGreaterThan(kind === 'changed' ? 1 : 4)
    })
  }
})

describe('a sweep', () => {
  test('[BO126] cleans up finished worktrees, reports missing ones and leaves the rest unchanged', async () => {
    const { root, worktrees, worktree, prepare, at } = await open()
    for (const attempt of [2, 3, 4, 5]) await prepare(attempt)
    writeFileSync(at('a.txt'), 'task\n')
    rmSync(join(root, 'task', '4', 'task-4'), { recursive: true })
    mkdirSync(join(root, 'stray', 'folder'), { recursive: true })
    writeFileSync(join(root, 'stray', 'folder', 'file'), 'whose?\n')
    writeFileSync(join(root, 'note'), 'whose?\n')
    writeFileSync(join(root, 'task', '5', 'worktree.json'), '{ broken')
    const known = [1, 2, 4, 5, 6, 7].map((attempt) => ({ taskId: 'task', attempt, isOver: ![4, 6].includes(attempt) }))
    const swept = await worktrees.sweep(known)
    const shown = swept.map(({ folder, finding }) => [folder.slice(root.length + 1), finding])
    expect(Object.fromEntries(shown)).toEqual({
      'task/1': 'parked',
      'task/2': 'removed',
      'task/3': 'unknown',
      'task/4': 'missing',
      'task/5': 'failed',
      'task/6': 'missing',
      'stray/folder': 'unknown',
      note: 'unknown',
    })
    expect(readFileSync(join(worktree.folder, 'a.txt'), 'utf8')).toBe('task\n')
    expect(existsSync(join(root, 'task', '3', 'task-3', 'a.txt'))).toBe(true)
    expect(existsSync(join(root, 'task', '5', 'task-5', 'a.txt'))).toBe(true)
    expect(readFileSync(join(root, 'stray', 'folder', 'file'), 'utf8')).toBe('whose?\n')
  })

  test('[BO126] finishes an interrupted clean-up or preparation', async () => {
    const { root, project, worktrees, worktree } = await open()
    expect(crashAt({ root, call: 'cleanUp', worktree, project, dieAt: 'admin' })).toBe(true)
    const half = { kind: 'none', taskId: 'task', attempt: 2, folder: '' } as const
    expect(crashAt({ root, call: 'prepare', worktree: half, project, dieAt: 'files' })).toBe(true)
    const known = [1, 2].map((attempt) => ({ taskId: 'task', attempt, isOver: true }))
    expect((await worktrees.sweep(known)).map(({ finding }) => finding)).toEqual(['removed', 'removed'])
    isRemoved(root, project)
    expect(await worktrees.sweep(known)).toEqual([])
  })
})
