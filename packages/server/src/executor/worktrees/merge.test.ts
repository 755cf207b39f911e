import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) writeFileSync(join(project, name), `${name}\n`)
  writeFileSync(join(project, '.gitignore'), 'ignored*\n')
  commitAll(project)
  const worktree = (await fixture.prepare()) as GitWorktree
  const inProject = (name: string) => join(project, name)
  const inWorktree = (name: string) => join(worktree.folder, name)
  /** Expects a refused merge and no change to the person's files. */
  const refused = async (code: string, words: RegExp) => {
    const before = personsOwn(project)
    const result = await fixture.worktrees.merge(worktree, ME)
    expect(result).toMatchObject({ ok: false, code, message: expect.stringMatching(words) })
    expect(personsOwn(project)).toEqual(before)
  }
  return { ...fixture, worktree, inProject, inWorktree, refused }
}

describe('merging a worktree', () => {
  test('[BO115] is a fast-forward with committed and uncommitted changes', async () => {
    const { worktrees, worktree, project, inProject, inWorktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'committed\n')
    const commit = commitAll(worktree.folder, 'by the agent')
    writeFileSync(inWorktree('new.txt'), 'not committed\n')
    chmodSync(inWorktree('new.txt'), 0o755)
    rmSync(inWorktree('sub'), { recursive: true })
    writeFileSync(inProject('untracked'), 'stays\n')
    const result = await worktrees.merge(worktree, ME)
    expect(result).toMatchObject({ ok: true, how: 'fast-forward', files: ['a.txt', 'new.txt', 'sub/c.txt'] })
    expect(git(project, 'status', '--porcelain')).toBe('?? untracked')
    expect(readFileSync(inProject('new.txt'), 'utf8')).toBe('not committed\n')
    expect(existsSync(inProject('sub'))).toBe(false)
    expect(git(project, 'log', '-2', '--format=%s %an')).toBe('The task Ada\nby the agent Person')
    expect(git(project, 'rev-parse', 'HEAD~')).toBe(commit)
    expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
    expect(git(worktree.folder, 'status', '--porcelain')).toBe('')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true, how: 'nothing' })
  })

  test('[BO115] is a merge commit when the project has new commits, even after a diff was read', async () => {
    const { worktrees, worktree, project, inProject, inWorktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    await worktrees.diffOf(worktree)
    writeFileSync(inProject('b.txt'), 'person\n')
    const personsCommit = commitAll(project, 'by the person')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true, how: 'merge-commit', files: ['a.txt'] })
    expect(git(project, 'rev-parse', 'HEAD^1')).toBe(personsCommit)
    expect(git(project, 'rev-parse', 'HEAD^2')).toBe(git(project, 'rev-parse', worktree.branch))
    expect(git(project, 'status', '--porcelain')).toBe('')
    expect(readFileSync(inProject('a.txt'), 'utf8')).toBe('task\n')
    expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO115] a staged change that is in neither the commit nor the file gets a ref', async () => {
    const { worktrees, worktree, project, inWorktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'only staged\n')
    git(worktree.folder, 'add', 'a.txt')
    writeFileSync(inWorktree('a.txt'), 'in the file\n')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true })
    const [kept] = git(project, 'for-each-ref', '--format=%(refname)', 'refs/clawboo/kept').split('\n')
    expect(git(project, 'show', `${kept}:a.txt`)).toBe('only staged')
  })

  test('[BO115] special characters in the author’s name or the message stay text', async () => {
    const { worktrees, worktree, project, inWorktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    const author = { name: 'Eve> <x@y>\nparent 0', email: '<a\n@b>' }
    expect(await worktrees.merge(worktree, { author, message: '--amend\n\n-x' })).toMatchObject({ ok: true })
    expect(git(project, 'log', '-1', '--format=%an|%ae|%s')).toBe('Eve x@yparent 0|a@b|--amend')
  })

  test('[BO116] is refused while the project has changes to tracked files, staged or not', async () => {
    const { project, inProject, inWorktree, refused, worktrees, worktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    writeFileSync(inProject('b.txt'), 'mine\n')
    await refused('project_changed', /b\.txt.+Commit or stash/s)
    git(project, 'add', 'b.txt')
    await refused('project_changed', /b\.txt/)
    git(project, 'reset', '-q', '--hard')
    rmSync(inProject('b.txt'))
    await refused('project_changed', /b\.txt/)
    git(project, 'checkout', '-q', '.')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true })
  })

  test('[BO116] is refused on another branch, without a branch, during an operation and while git is running', async () => {
    const { project, inProject, inWorktree, refused } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    git(project, 'checkout', '-q', '-b', 'other')
    await refused('other_branch', /started on main.+branch other.+Check out main/s)
    git(project, 'checkout', '-q', '--detach')
    await refused('other_branch', /no branch/)
    git(project, 'checkout', '-q', 'other')
    writeFileSync(inProject('a.txt'), 'other\n')
    commitAll(project)
    git(project, 'checkout', '-q', 'main')
    writeFileSync(inProject('a.txt'), 'main\n')
    commitAll(project)
    expect(tryGit(project, 'merge', 'other')).toBe(false)
    await refused('operation_under_way', /in the middle of a merge/)
    git(project, 'merge', '--abort')
    writeFileSync(inProject('.git/index.lock'), '')
    await refused('project_busy', /remove .+index\.lock/)
  })

  test('[BO116] is refused when the worktree is not on its branch, has an unfinished operation or contains a repository', async () => {
    const { worktree, inWorktree, refused } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    commitAll(worktree.folder)
    git(worktree.folder, 'checkout', '-q', '--detach')
    await refused('worktree_unsettled', /not on its branch/)
    git(worktree.folder, 'checkout', '-q', worktree.branch)
    git(worktree.folder, 'checkout', '-q', '-b', 'aside', 'HEAD~')
    writeFileSync(inWorktree('a.txt'), 'aside\n')
    commitAll(worktree.folder)
    git(worktree.folder, 'checkout', '-q', worktree.branch)
    expect(tryGit(worktree.folder, 'merge', 'aside')).toBe(false)
    await refused('worktree_unsettled', /in the middle of a merge/)
    git(worktree.folder, 'merge', '--abort')
    makeRepository(inWorktree('inner'))
    commitAll(inWorktree('inner'))
    await refused('nested_repository', /inner/)
  })

  test('[BO116] is refused for a sparse checkout or a split index', async () => {
    const { project, inWorktree, refused } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    git(project, 'update-index', '--split-index')
    await refused('merge_by_hand', /git merge clawboo\/task\/1$/)
    git(project, 'update-index', '--no-split-index')
    for (const name of listFiles(join(project, '.git')).keys()) {
      if (name.startsWith('sharedindex.')) rmSync(join(project, '.git', name))
    }
    git(project, 'sparse-checkout', 'set', 'sub')
    await refused('merge_by_hand', /sparse/)
  })

  test('[BO116] is refused for uncommitted files that a filter should convert', async () => {
    const { project, worktree, inProject, inWorktree, refused, worktrees } = await open()
    writeFileSync(inWorktree('.gitattributes'), '*.png filter=lfs\n*.txt -filter\n')
    commitAll(worktree.folder)
    writeFileSync(inWorktree('a.txt'), 'task\n')
    writeFileSync(inWorktree('new.png'), 'picture\n')
    await refused('merge_by_hand', /new\.png is not committed.+filter.+Commit it in/s)
    commitAll(worktree.folder)
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true })
    expect(git(project, 'status', '--porcelain')).toBe('')
    expect(existsSync(inProject('new.png'))).toBe(true)
  })

  test('[BO117] conflicts are named and change nothing', async () => {
    const { project, inProject, inWorktree, refused, worktrees, worktree } = await open()
    writeFileSync(inWorktree('a.txt'), 'task\n')
    writeFileSync(inProject('a.txt'), 'person\n')
    commitAll(project)
    const before = git(project, 'rev-parse', worktree.branch)
    await refused('conflicts', /a\.txt.+git merge clawboo\/task\/1/s)
    expect(git(project, 'rev-parse', worktree.branch)).toBe(before)
    expect(readFileSync(inWorktree('a.txt'), 'utf8')).toBe('task\n')
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
  })

  test('[BO118] never overwrites an untracked file, ignored or not', async () => {
    for (const name of ['new.txt', 'ignored.txt', 'folder/x']) {
      const { project, inProject, inWorktree, refused, worktree } = await open()
      mkdirSync(inWorktree('folder'))
      writeFileSync(inWorktree(name), 'task\n')
      git(worktree.folder, 'add', '-f', name)
      writeFileSync(inProject(name.split('/')[0]!), 'precious\n')
      await refused('files_in_the_way', new RegExp(name.split('/')[0]!))
      expect(readFileSync(join(project, name.split('/')[0]!), 'utf8')).toBe('precious\n')
    }
  })

  test('[BO118] never deletes ignored files in a folder that a file would replace', async () => {
    const { inProject, inWorktree, refused } = await open()
    rmSync(inWorktree('sub'), { recursive: true })
    writeFileSync(inWorktree('sub'), 'now a file\n')
    writeFileSync(inProject('sub/ignored'), 'precious\n')
    await refused('files_in_the_way', /sub/)
  })

  test('[BO118] never overwrites a file that git is set to ignore', async () => {
    for (const flag of ['--assume-unchanged', '--skip-worktree']) {
      const { project, inProject, inWorktree, refused } = await open()
      writeFileSync(inWorktree('a.txt'), 'task\n')
      git(project, 'update-index', flag, 'a.txt')
      writeFileSync(inProject('a.txt'), 'hidden\n')
      await refused('files_in_the_way', /a\.txt/)
    }
  })

  for (const goesOn of [false, true]) {
    test(`[BO120] after a crash at any step the next merge finishes, the project ${goesOn ? 'with new commits' : 'unchanged'}`, {
      timeout: 300_000,
    }, async () => {
      const last = await dieAtSteps(async (dieAt) => {
        const { root, project, worktrees, worktree, inProject, inWorktree } = await open()
        writeFileSync(inWorktree('a.txt'), 'staged\n')
        git(worktree.folder, 'add', '.')
        writeFileSync(inWorktree('a.txt'), 'task\n')
        writeFileSync(inWorktree('new.txt'), 'new\n')
        rmSync(inWorktree('sub'), { recursive: true })
        if (goesOn) writeFileSync(inProject('b.txt'), 'person\n')
        if (goesOn) commitAll(project)
        const crashed = crashAt({ root, call: 'merge', worktree, project, dieAt })
        expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true })
        expect(git(project, 'status', '--porcelain')).toBe('')
        expect(readFileSync(inProject('a.txt'), 'utf8')).toBe('task\n')
        expect(existsSync(inProject('sub/c.txt'))).toBe(false)
        expect(tryGit(project, 'merge-base', '--is-ancestor', worktree.branch, 'main')).toBe(true)
        expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
        return crashed
      })
      expect(last).toBeGreaterThan(5)
    })
  }

  test('[BO120] a merge that was interrupted while it wrote files is finished, unless a person changed them since', async () => {
    for (const isTouched of [false, true]) {
      const { root, project, worktrees, worktree, inProject, inWorktree } = await open()
      for (const name of ['a.txt', 'new.txt', 'sub/c.txt']) writeFileSync(inWorktree(name), 'task\n')
      expect(crashAt({ root, call: 'merge', worktree, project, dieAt: 'files' })).toBe(true)
      writeFileSync(inProject('a.txt'), 'task\n')
      writeFileSync(inProject('new.txt'), isTouched ? 'mine\n' : 'task\n')
      const result = await worktrees.merge(worktree, ME)
      expect(result).toMatchObject(isTouched ? { code: 'project_changed', files: ['new.txt'] } : { ok: true })
      expect(readFileSync(inProject('new.txt'), 'utf8')).toBe(isTouched ? 'mine\n' : 'task\n')
      if (!isTouched) expect(git(project, 'status', '--porcelain')).toBe('')
    }
  })
})

describe('applying a copy', () => {
  async function openCopy() {
    const fixture = await openFixture()
    const { project } = fixture
    mkdirSync(join(project, 'sub', 'deep'), { recursive: true })
    for (const name of ['a', 'b', 'sub/c', 'sub/deep/d']) writeFileSync(join(project, name), `${name}\n`)
    const worktree = await fixture.prepare()
    return { ...fixture, worktree, at: (name: string) => join(worktree.folder, name) }
  }

  test('[BO119] applies every change and nothing else', async () => {
    const { worktrees, worktree, project, at } = await openCopy()
    writeFileSync(at('a'), 'changed\n')
    chmodSync(at('b'), 0o755)
    rmSync(at('sub'), { recursive: true })
    writeFileSync(at('sub'), 'a file now\n')
    mkdirSync(at('-x'))
    writeFileSync(at('-x/new\nline'), 'new\n')
    symlinkSync('a', at('link'))
    writeFileSync(join(project, 'other'), 'stays\n')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true, how: 'applied', commit: null })
    rmSync(join(project, 'other'))
    expect(listFiles(project)).toEqual(listFiles(worktree.folder))
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ how: 'nothing' })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO119] is refused without a change when a file of it has changed since', async () => {
    const cases: [change: (project: string) => void, code: string][] = [
      [(project) => writeFileSync(join(project, 'a'), 'mine\n'), 'project_changed'],
      [(project) => rmSync(join(project, 'a')), 'project_changed'],
      [(project) => chmodSync(join(project, 'a'), 0o755), 'project_changed'],
      [(project) => writeFileSync(join(project, 'new'), 'mine\n'), 'project_changed'],
      [(project) => rmSync(project, { recursive: true }), 'project_missing'],
    ]
    for (const [change, code] of cases) {
      const { worktrees, worktree, project, at } = await openCopy()
      writeFileSync(at('a'), 'task\n')
      writeFileSync(at('new'), 'task\n')
      rmSync(at('b'))
      change(project)
      const before = listFiles(project)
      expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: false, code })
      expect(listFiles(project)).toEqual(before)
    }
  })

  test('[BO119] never writes through a link and copies no link that leads out', async () => {
    const { worktrees, worktree, project, folder, at } = await openCopy()
    writeFileSync(at('sub/c'), 'task\n')
    writeFileSync(at('sub/fresh'), 'task\n')
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'c'), 'sub/c\n')
    rmSync(join(project, 'sub'), { recursive: true })
    symlinkSync(outside, join(project, 'sub'))
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ code: 'project_changed' })
    expect([...listFiles(outside).keys()]).toEqual(['c'])
    const other = await openCopy()
    symlinkSync('/etc/passwd', other.at('out'))
    expect(await other.worktrees.merge(other.worktree, ME)).toMatchObject({ code: 'files_in_the_way', files: ['out'] })
    expect(existsSync(join(other.project, 'out'))).toBe(false)
  })

  test('[BO120] after a crash at any step the next merge finishes', { timeout: 300_000 }, async () => {
    const last = await dieAtSteps(async (dieAt) => {
      const { root, worktrees, worktree, project, at } = await openCopy()
      writeFileSync(at('a'), 'task\n')
      rmSync(at('b'))
      writeFileSync(at('new'), 'task\n')
      const crashed = crashAt({ root, call: 'merge', worktree, project, dieAt })
      expect(await worktrees.merge(worktree, ME)).toMatchObject({ ok: true })
      expect(listFiles(project)).toEqual(listFiles(worktree.folder))
      return crashed
    })
    expect(last).toBeGreaterThan(3)
  })
})
