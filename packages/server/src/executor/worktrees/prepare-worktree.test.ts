import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RefusalCode } from './refusal.ts'
import { crashAt } from './test-crash.ts'
import { dieAtSteps } from './test-crash-steps.ts'
import {
  commitAll,
  type Fixture,
  git,
  listFiles,
  ME,
  makeRepository,
  openFixture,
  personsOwn,
  tryGit,
} from './test-project.ts'
import type { GitWorktree } from './worktree.ts'

async function openRepository(): Promise<Fixture> {
  const fixture = await openFixture()
  makeRepository(fixture.project)
  writeFileSync(join(fixture.project, 'a.txt'), 'one\n')
  mkdirSync(join(fixture.project, 'sub'))
  writeFileSync(join(fixture.project, 'sub', 'b.txt'), 'two\n')
  commitAll(fixture.project)
  return fixture
}

const refusalOf = async ({ worktrees, folder }: Fixture, project: string): Promise<RefusalCode | null> => {
  const result = await worktrees.prepareWorktree({ taskId: 'task', attempt: 9, project, ownFolder: folder })
  if (result.ok) return null
  expect(result.message).toMatch(/^[A-Z/].+[.]$/s)
  return result.code
}

describe('a worktree', () => {
  test('[BO100] is a worktree of a repository, on its own branch, with the committed files', async () => {
    const fixture = await openRepository()
    writeFileSync(join(fixture.project, 'a.txt'), 'not committed\n')
    const worktree = (await fixture.prepare()) as GitWorktree
    expect(worktree).toMatchObject({ kind: 'worktree', branch: 'clawboo/task/1', startedFrom: 'main', notes: [] })
    expect(worktree.folder.startsWith(fixture.root)).toBe(true)
    expect(readFileSync(join(worktree.folder, 'a.txt'), 'utf8')).toBe('one\n')
    expect(git(worktree.folder, 'status', '--porcelain', '--branch')).toBe('## clawboo/task/1')
    expect(git(worktree.folder, 'rev-parse', 'HEAD')).toBe(worktree.base)
  })

  test('[BO100] is a copy of a plain folder, or the agent’s workspace without a project', async () => {
    const fixture = await openFixture()
    mkdirSync(join(fixture.project, 'deep', 'er'), { recursive: true })
    writeFileSync(join(fixture.project, 'deep', 'er', 'run.sh'), 'echo\n')
    chmodSync(join(fixture.project, 'deep', 'er', 'run.sh'), 0o755)
    writeFileSync(join(fixture.project, '.gitignore'), 'ignored\n')
    writeFileSync(join(fixture.project, 'ignored'), 'copied too\n')
    const worktree = await fixture.prepare()
    expect(worktree.kind).toBe('copy')
    expect(listFiles(worktree.folder)).toEqual(listFiles(fixture.project))
    expect(await fixture.prepare(2, null)).toMatchObject({ kind: 'none', folder: fixture.folder })
  })

  test('[BO101] the same attempt continues in the same folder, even after the worktree was parked', async () => {
    const fixture = await openRepository()
    const worktree = await fixture.prepare()
    writeFileSync(join(worktree.folder, 'new'), 'kept\n')
    git(fixture.project, 'commit', '-q', '--allow-empty', '-m', 'the project goes on')
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
    const again = await fixture.worktrees.prepareWorktree({
      taskId: 'task',
      attempt: 1,
      project: fixture.project,
      ownFolder: fixture.folder,
    })
    expect(again).toEqual({ ok: true, worktree, isResumed: true })
    expect(readFileSync(join(worktree.folder, 'new'), 'utf8')).toBe('kept\n')
    expect((await fixture.prepare(2)).folder).not.toBe(worktree.folder)
  })

  test('[BO101] a preparation that was killed at any step starts over', { timeout: 300_000 }, async () => {
    for (const kind of ['worktree', 'copy'] as const) {
      const fixture = kind === 'worktree' ? await openRepository() : await openFixture()
      if (kind === 'copy') mkdirSync(fixture.project)
      if (kind === 'copy') writeFileSync(join(fixture.project, 'a.txt'), 'one\n')
      const last = await dieAtSteps(async (dieAt) => {
        const attempt = dieAt + 1
        const worktree = { kind: 'none', taskId: 'task', attempt, folder: '' } as const
        const crashed = crashAt({ root: fixture.root, call: 'prepare', worktree, project: fixture.project, dieAt })
        const made = await fixture.prepare(attempt)
        expect(readFileSync(join(made.folder, 'a.txt'), 'utf8')).toBe('one\n')
        expect(await fixture.worktrees.diffOf(made)).toMatchObject({ ok: true, diff: { fileCount: 0 } })
        return crashed
      })
      expect(last).toBeGreaterThan(2)
    }
  })

  test('[BO146] waits for a worktree that another program is adding', async () => {
    const { project, prepare } = await openRepository()
    const admin = join(project, '.git', 'worktrees', 'other')
    mkdirSync(admin, { recursive: true })
    // The state that git leaves for a moment.
    for (const [name, text] of Object.entries({
      gitdir: '/nowhere/.git\n',
      HEAD: 'ref: refs/heads/x\n',
      commondir: '',
    }))
      writeFileSync(join(admin, name), text)
    expect(tryGit(project, 'worktree', 'add', '-q', join(project, '..', 'mine'))).toBe(false)
    const preparing = prepare()
    setTimeout(() => writeFileSync(join(admin, 'commondir'), '../..\n'), 150)
    expect(await preparing).toMatchObject({ kind: 'worktree', branch: 'clawboo/task/1' })
  })

  test('[BO146] two servers add many worktrees of one repository at once', async () => {
    const one = await openRepository()
    const two = await openFixture()
    const attempts = Array.from({ length: 6 }, (_, n) => n + 1)
    const made = await Promise.all(
      attempts.flatMap((attempt) => [
        one.prepare(attempt),
        two.worktrees.prepareWorktree({ taskId: 'other', attempt, project: one.project, ownFolder: two.folder }),
      ]),
    )
    expect(made.filter((each) => 'ok' in each && !each.ok)).toEqual([])
    expect(git(one.project, 'branch', '--list', 'clawboo/*').split('\n')).toHaveLength(2 * attempts.length)
  })

  test('[BO101] a deleted folder is refused, not replaced', async () => {
    const fixture = await openRepository()
    const worktree = await fixture.prepare()
    renameSync(worktree.folder, join(fixture.folder, 'moved'))
    expect(await refusalOf({ ...fixture, worktrees: fixture.worktrees }, fixture.project)).toBeNull()
    const again = { taskId: 'task', attempt: 1, project: fixture.project, ownFolder: fixture.folder }
    expect(await fixture.worktrees.prepareWorktree(again)).toMatchObject({ code: 'worktree_missing' })
    expect(await fixture.worktrees.diffOf(worktree)).toMatchObject({ code: 'worktree_missing' })
  })
})

test('[BO101] files without a record are left alone', async () => {
  const fixture = await openRepository()
  const worktree = await fixture.prepare()
  rmSync(join(fixture.root, 'task', '1', 'worktree.json'))
  const before = listFiles(worktree.folder)
  const again = { taskId: 'task', attempt: 1, project: fixture.project, ownFolder: fixture.folder }
  expect(await fixture.worktrees.prepareWorktree(again)).toMatchObject({ code: 'worktree_missing' })
  expect(listFiles(worktree.folder)).toEqual(before)
})

describe('a project without a usable state', () => {
  test('[BO102] is refused with a remedy', async () => {
    const fixture = await openRepository()
    const { folder, project, root } = fixture
    const bare = join(folder, 'bare')
    git(folder, 'clone', '-q', '--bare', project, bare)
    expect(await refusalOf(fixture, bare)).toBe('bare_repository')
    expect(await refusalOf(fixture, join(project, '.git'))).toBe('bare_repository')
    expect(await refusalOf(fixture, makeRepository(join(folder, 'unborn')))).toBe('no_commit')
    expect(await refusalOf(fixture, join(folder, 'nowhere'))).toBe('project_missing')
    expect(await refusalOf(fixture, join(project, 'a.txt'))).toBe('project_missing')
    mkdirSync(join(folder, 'broken', '.git'), { recursive: true })
    expect(await refusalOf(fixture, join(folder, 'broken'))).toBe('repository_unreadable')
    const elsewhere = makeRepository(join(folder, 'elsewhere'))
    commitAll(elsewhere)
    git(elsewhere, 'config', 'core.worktree', '/usr')
    expect(await refusalOf(fixture, elsewhere)).toBe('repository_unreadable')
    expect(await refusalOf(fixture, (await fixture.prepare()).folder)).toBe('own_folder')
    mkdirSync(join(root, 'plain'))
    expect(await refusalOf(fixture, join(root, 'plain'))).toBe('own_folder')
  })

  test('[BO102] is refused during a merge or rebase', async () => {
    const fixture = await openRepository()
    const { project } = fixture
    git(project, 'checkout', '-q', '-b', 'side')
    writeFileSync(join(project, 'a.txt'), 'side\n')
    commitAll(project)
    git(project, 'checkout', '-q', 'main')
    writeFileSync(join(project, 'a.txt'), 'main\n')
    commitAll(project)
    for (const [begin, abort] of [
      ['merge', '--abort'],
      ['rebase', '--abort'],
      ['cherry-pick', '--abort'],
    ] as const) {
      expect(tryGit(project, begin, 'side')).toBe(false)
      expect(await refusalOf(fixture, project)).toBe('operation_under_way')
      git(project, begin, abort)
    }
    expect(await refusalOf(fixture, project)).toBeNull()
  })

  test('[BO105] is refused when the branch exists, and the branch stays', async () => {
    for (const taken of ['clawboo', 'clawboo/task', 'clawboo/task/9', 'clawboo/task/9/x']) {
      const fixture = await openRepository()
      git(fixture.project, 'branch', taken)
      const before = personsOwn(fixture.project)
      const branch = git(fixture.project, 'rev-parse', taken)
      expect(await refusalOf(fixture, fixture.project)).toBe('branch_taken')
      expect(personsOwn(fixture.project)).toEqual(before)
      expect(git(fixture.project, 'rev-parse', taken)).toBe(branch)
    }
  })
})

describe('a special project', () => {
  test('[BO103] a subfolder gets the same subfolder in a worktree of the whole repository', async () => {
    const fixture = await openRepository()
    const worktree = await fixture.prepare(1, join(fixture.project, 'sub'))
    expect(readFileSync(join(worktree.folder, 'b.txt'), 'utf8')).toBe('two\n')
    expect(readFileSync(join(worktree.folder, '..', 'a.txt'), 'utf8')).toBe('one\n')
    writeFileSync(join(worktree.folder, 'b.txt'), 'three\n')
    expect(await fixture.worktrees.merge(worktree, ME)).toMatchObject({ ok: true, files: ['sub/b.txt'] })
    expect(readFileSync(join(fixture.project, 'sub', 'b.txt'), 'utf8')).toBe('three\n')
    mkdirSync(join(fixture.project, 'untracked'))
    writeFileSync(join(fixture.project, 'untracked', 'x'), '')
    expect(await refusalOf(fixture, join(fixture.project, 'untracked'))).toBe('subfolder_not_committed')
  })

  test('[BO104] a worktree can be the project, and its branch gets the merge', async () => {
    const fixture = await openRepository()
    const linked = join(fixture.folder, 'linked')
    git(fixture.project, 'worktree', 'add', '-q', '-b', 'feature', linked)
    const before = personsOwn(fixture.project).get('a.txt')
    const worktree = await fixture.prepare(1, linked)
    expect(worktree).toMatchObject({ kind: 'worktree', startedFrom: 'feature' })
    writeFileSync(join(worktree.folder, 'a.txt'), 'linked\n')
    expect(await fixture.worktrees.merge(worktree, ME)).toMatchObject({ how: 'fast-forward' })
    expect(readFileSync(join(linked, 'a.txt'), 'utf8')).toBe('linked\n')
    expect(git(linked, 'status', '--porcelain')).toBe('')
    expect(personsOwn(fixture.project).get('a.txt')).toBe(before)
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO104] a detached commit, a sparse checkout, submodules and attributes are noted', async () => {
    const fixture = await openRepository()
    const { project } = fixture
    const id = git(project, 'rev-parse', 'HEAD')
    git(project, 'update-index', '--add', '--cacheinfo', `160000,${id},module`)
    writeFileSync(join(project, '.gitattributes'), '*.txt eol=crlf\n')
    git(project, 'add', '.gitattributes')
    git(project, 'commit', '-q', '-m', 'submodule')
    git(project, 'sparse-checkout', 'set', '--no-cone', '/a.txt')
    git(project, 'checkout', '-q', '--detach')
    const worktree = (await fixture.prepare()) as GitWorktree
    expect(worktree.startedFrom).toBeNull()
    expect(worktree.notes).toHaveLength(4)
    expect(worktree.notes.join()).toContain('module')
    expect(readFileSync(join(worktree.folder, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(worktree.folder, 'sub', 'b.txt'))).toBe(true)
    expect(await fixture.worktrees.diffOf(worktree)).toMatchObject({ diff: { fileCount: 0 } })
    expect(await fixture.worktrees.merge(worktree, ME)).toMatchObject({ code: 'other_branch' })
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO104] a repository with SHA-256 ids works', async () => {
    const fixture = await openFixture()
    makeRepository(fixture.project, '--object-format=sha256')
    writeFileSync(join(fixture.project, 'a.txt'), 'one\n')
    commitAll(fixture.project)
    const worktree = await fixture.prepare()
    writeFileSync(join(worktree.folder, 'a.txt'), 'two\n')
    expect(await fixture.worktrees.merge(worktree, ME)).toMatchObject({ how: 'fast-forward', files: ['a.txt'] })
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })
})

describe('a copy', () => {
  test('[BO106] copies links that stay inside, and names the links and special files that it leaves out', async () => {
    const fixture = await openFixture()
    const { project } = fixture
    mkdirSync(join(project, 'x', 'y'), { recursive: true })
    writeFileSync(join(project, 'x', 'file'), 'in\n')
    writeFileSync(join(fixture.folder, 'secret'), 'out\n')
    const links = {
      inside: 'x/file',
      'x/up': '../x/y',
      absolute: join(project, 'x'),
      out: '../secret',
      'x/y/top': '../..',
    }
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(project, path))
    symlinkSync('top/../secret', join(project, 'x', 'y', 'round'))
    execFileSync('mkfifo', [join(project, 'pipe')])
    const worktree = await fixture.prepare()
    expect([...listFiles(worktree.folder).keys()].sort()).toEqual(['inside', 'x/file', 'x/up', 'x/y/top'])
    expect(readlinkSync(join(worktree.folder, 'inside'))).toBe('x/file')
    expect(worktree).toMatchObject({
      notes: ['Not copied, because they lead out of the folder or are not files: absolute, out, pipe, x/y/round.'],
    })
  })

  test('[BO106] has a limit of files and bytes, refuses a nested repository, and removes an incomplete copy', async () => {
    const fixture = await openFixture({ limits: { copyFiles: 3, copyBytes: 1000 } })
    const { project } = fixture
    mkdirSync(project)
    for (const name of ['1', '2', '3', '4']) writeFileSync(join(project, name), '')
    expect(await refusalOf(fixture, project)).toBe('too_large')
    const large = join(fixture.folder, 'large')
    mkdirSync(large)
    writeFileSync(join(large, 'file'), 'x'.repeat(1001))
    expect(await refusalOf(fixture, large)).toBe('too_large')
    const outer = join(fixture.folder, 'outer')
    makeRepository(join(outer, 'inner'))
    expect(await refusalOf(fixture, outer)).toBe('nested_repository')
    expect([...listFiles(fixture.root).keys()]).toEqual([])
  })
})

test('[BO107] preparing, comparing, checking and cleaning up change nothing that belongs to the person', async () => {
  const fixture = await openRepository()
  const { project, worktrees } = fixture
  writeFileSync(join(project, '.gitignore'), 'ignored\n')
  commitAll(project)
  git(project, 'tag', 'v1')
  writeFileSync(join(project, 'a.txt'), 'stashed\n')
  git(project, 'stash', '-q')
  writeFileSync(join(project, 'a.txt'), 'staged\n')
  git(project, 'add', 'a.txt')
  writeFileSync(join(project, 'a.txt'), 'changed\n')
  writeFileSync(join(project, 'untracked'), 'new\n')
  writeFileSync(join(project, 'ignored'), 'ignored\n')
  const before = personsOwn(project)
  const worktree = await fixture.prepare()
  expect(personsOwn(project)).toEqual(before)
  writeFileSync(join(worktree.folder, 'a.txt'), 'task\n')
  git(worktree.folder, 'commit', '-q', '-a', '-m', 'task')
  await worktrees.diffOf(worktree)
  await worktrees.runCheck(worktree, 'true')
  expect(await worktrees.merge(worktree, ME)).toMatchObject({ code: 'project_changed' })
  expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
  const unused = await fixture.prepare(2)
  expect(await worktrees.cleanUp(unused)).toMatchObject({ outcome: 'removed' })
  expect(personsOwn(project)).toEqual(before)
})
