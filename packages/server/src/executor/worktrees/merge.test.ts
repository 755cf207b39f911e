import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crashAt } from './test-crash.ts'
import { dieAtSteps } from './test-crash-steps.ts'
import { commitAll, git, listFiles, ME, makeRepository, openFixture, personsOwn, tryGit } from './test-project.ts'
import type { WorktreeWorkplace } from './workplace.ts'

async function open() {
  const fixture = await openFixture()
  const { project } = fixture
  makeRepository(project)
  mkdirSync(join(project, 'sub'))
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) writeFileSync(join(project, name), `${name}\n`)
  writeFileSync(join(project, '.gitignore'), 'ignored*\n')
  commitAll(project)
  const workplace = (await fixture.prepare()) as WorktreeWorkplace
  const inProject = (name: string) => join(project, name)
  const inWorkplace = (name: string) => join(workplace.folder, name)
  /** The merge is refused and nothing that is the person's is different. */
  const refused = async (code: string, words: RegExp) => {
    const before = personsOwn(project)
    const result = await fixture.worktrees.merge(workplace, ME)
    expect(result).toMatchObject({ ok: false, code, message: expect.stringMatching(words) })
    expect(personsOwn(project)).toEqual(before)
  }
  return { ...fixture, workplace, inProject, inWorkplace, refused }
}

describe('merging a worktree', () => {
  test('[BO115] is a fast-forward with what is committed and what is not', async () => {
    const { worktrees, workplace, project, inProject, inWorkplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'committed\n')
    const commit = commitAll(workplace.folder, 'by the agent')
    writeFileSync(inWorkplace('new.txt'), 'not committed\n')
    chmodSync(inWorkplace('new.txt'), 0o755)
    rmSync(inWorkplace('sub'), { recursive: true })
    writeFileSync(inProject('untracked'), 'stays\n')
    const result = await worktrees.merge(workplace, ME)
    expect(result).toMatchObject({ ok: true, how: 'fast-forward', files: ['a.txt', 'new.txt', 'sub/c.txt'] })
    expect(git(project, 'status', '--porcelain')).toBe('?? untracked')
    expect(readFileSync(inProject('new.txt'), 'utf8')).toBe('not committed\n')
    expect(existsSync(inProject('sub'))).toBe(false)
    expect(git(project, 'log', '-2', '--format=%s %an')).toBe('The task Ada\nby the agent Person')
    expect(git(project, 'rev-parse', 'HEAD~')).toBe(commit)
    expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
    expect(git(workplace.folder, 'status', '--porcelain')).toBe('')
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true, how: 'nothing' })
  })

  test('[BO115] is a merge commit when the project went on, and the diff that was looked at before does not matter', async () => {
    const { worktrees, workplace, project, inProject, inWorkplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    await worktrees.diffOf(workplace)
    writeFileSync(inProject('b.txt'), 'person\n')
    const mine = commitAll(project, 'by the person')
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true, how: 'merge-commit', files: ['a.txt'] })
    expect(git(project, 'rev-parse', 'HEAD^1')).toBe(mine)
    expect(git(project, 'rev-parse', 'HEAD^2')).toBe(git(project, 'rev-parse', workplace.branch))
    expect(git(project, 'status', '--porcelain')).toBe('')
    expect(readFileSync(inProject('a.txt'), 'utf8')).toBe('task\n')
    expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
    expect(await worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO115] what was staged and is in neither the commit nor the file keeps a ref', async () => {
    const { worktrees, workplace, project, inWorkplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'only staged\n')
    git(workplace.folder, 'add', 'a.txt')
    writeFileSync(inWorkplace('a.txt'), 'in the file\n')
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true })
    const [kept] = git(project, 'for-each-ref', '--format=%(refname)', 'refs/clawboo/kept').split('\n')
    expect(git(project, 'show', `${kept}:a.txt`)).toBe('only staged')
  })

  test('[BO115] a hostile name or message of the person who merges stays a name and a message', async () => {
    const { worktrees, workplace, project, inWorkplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    const author = { name: 'Eve> <x@y>\nparent 0', email: '<a\n@b>' }
    expect(await worktrees.merge(workplace, { author, message: '--amend\n\n-x' })).toMatchObject({ ok: true })
    expect(git(project, 'log', '-1', '--format=%an|%ae|%s')).toBe('Eve x@yparent 0|a@b|--amend')
  })

  test('[BO116] is refused while the project has changes to tracked files, staged or not', async () => {
    const { project, inProject, inWorkplace, refused, worktrees, workplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    writeFileSync(inProject('b.txt'), 'mine\n')
    await refused('project_changed', /b\.txt.+Commit or stash/s)
    git(project, 'add', 'b.txt')
    await refused('project_changed', /b\.txt/)
    git(project, 'reset', '-q', '--hard')
    rmSync(inProject('b.txt'))
    await refused('project_changed', /b\.txt/)
    git(project, 'checkout', '-q', '.')
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true })
  })

  test('[BO116] is refused on another branch, on none, in the middle of something, and while git is at work', async () => {
    const { project, inProject, inWorkplace, refused } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    git(project, 'checkout', '-q', '-b', 'other')
    await refused('other_branch', /began on main.+branch other.+Check out main/s)
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

  test('[BO116] is refused when the workplace is not on its branch, half way through, or holds a repository', async () => {
    const { workplace, inWorkplace, refused } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    commitAll(workplace.folder)
    git(workplace.folder, 'checkout', '-q', '--detach')
    await refused('workplace_unsettled', /left its branch/)
    git(workplace.folder, 'checkout', '-q', workplace.branch)
    git(workplace.folder, 'checkout', '-q', '-b', 'aside', 'HEAD~')
    writeFileSync(inWorkplace('a.txt'), 'aside\n')
    commitAll(workplace.folder)
    git(workplace.folder, 'checkout', '-q', workplace.branch)
    expect(tryGit(workplace.folder, 'merge', 'aside')).toBe(false)
    await refused('workplace_unsettled', /in the middle of a merge/)
    git(workplace.folder, 'merge', '--abort')
    makeRepository(inWorkplace('inner'))
    commitAll(inWorkplace('inner'))
    await refused('nested_repository', /inner/)
  })

  test('[BO116] a sparse or split project is merged by hand', async () => {
    const { project, inWorkplace, refused } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    git(project, 'update-index', '--split-index')
    await refused('merge_by_hand', /git merge clawboo\/task\/1$/)
    git(project, 'update-index', '--no-split-index')
    for (const name of listFiles(join(project, '.git')).keys()) {
      if (name.startsWith('sharedindex.')) rmSync(join(project, '.git', name))
    }
    git(project, 'sparse-checkout', 'set', 'sub')
    await refused('merge_by_hand', /sparse/)
  })

  test('[BO116] what a filter has a say in is committed by the person’s own git, not here', async () => {
    const { project, workplace, inProject, inWorkplace, refused, worktrees } = await open()
    writeFileSync(inWorkplace('.gitattributes'), '*.png filter=lfs\n*.txt -filter\n')
    commitAll(workplace.folder)
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    writeFileSync(inWorkplace('new.png'), 'picture\n')
    await refused('merge_by_hand', /new\.png is not committed.+filter.+Commit it in/s)
    commitAll(workplace.folder)
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true })
    expect(git(project, 'status', '--porcelain')).toBe('')
    expect(existsSync(inProject('new.png'))).toBe(true)
  })

  test('[BO117] conflicts are named and change nothing', async () => {
    const { project, inProject, inWorkplace, refused, worktrees, workplace } = await open()
    writeFileSync(inWorkplace('a.txt'), 'task\n')
    writeFileSync(inProject('a.txt'), 'person\n')
    commitAll(project)
    const before = git(project, 'rev-parse', workplace.branch)
    await refused('conflicts', /a\.txt.+git merge clawboo\/task\/1/s)
    expect(git(project, 'rev-parse', workplace.branch)).toBe(before)
    expect(readFileSync(inWorkplace('a.txt'), 'utf8')).toBe('task\n')
    expect(await worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'parked' })
  })

  test('[BO118] a file the project does not track is never overwritten, ignored or not', async () => {
    for (const name of ['new.txt', 'ignored.txt', 'folder/x']) {
      const { project, inProject, inWorkplace, refused, workplace } = await open()
      mkdirSync(inWorkplace('folder'))
      writeFileSync(inWorkplace(name), 'task\n')
      git(workplace.folder, 'add', '-f', name)
      writeFileSync(inProject(name.split('/')[0]!), 'precious\n')
      await refused('files_in_the_way', new RegExp(name.split('/')[0]!))
      expect(readFileSync(join(project, name.split('/')[0]!), 'utf8')).toBe('precious\n')
    }
  })

  test('[BO118] ignored files in a folder that a file takes the place of are not deleted', async () => {
    const { inProject, inWorkplace, refused } = await open()
    rmSync(inWorkplace('sub'), { recursive: true })
    writeFileSync(inWorkplace('sub'), 'now a file\n')
    writeFileSync(inProject('sub/ignored'), 'precious\n')
    await refused('files_in_the_way', /sub/)
  })

  test('[BO118] a file that git was told to look away from is never overwritten', async () => {
    for (const flag of ['--assume-unchanged', '--skip-worktree']) {
      const { project, inProject, inWorkplace, refused } = await open()
      writeFileSync(inWorkplace('a.txt'), 'task\n')
      git(project, 'update-index', flag, 'a.txt')
      writeFileSync(inProject('a.txt'), 'hidden\n')
      await refused('files_in_the_way', /a\.txt/)
    }
  })

  for (const goesOn of [false, true]) {
    test(`[BO120] killed at any step, it is finished by merging again, the project ${goesOn ? 'ahead' : 'as it was'}`, {
      timeout: 300_000,
    }, async () => {
      const last = await dieAtSteps(async (dieAt) => {
        const { root, project, worktrees, workplace, inProject, inWorkplace } = await open()
        writeFileSync(inWorkplace('a.txt'), 'staged\n')
        git(workplace.folder, 'add', '.')
        writeFileSync(inWorkplace('a.txt'), 'task\n')
        writeFileSync(inWorkplace('new.txt'), 'new\n')
        rmSync(inWorkplace('sub'), { recursive: true })
        if (goesOn) writeFileSync(inProject('b.txt'), 'person\n')
        if (goesOn) commitAll(project)
        const crashed = crashAt({ root, call: 'merge', workplace, project, dieAt })
        expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true })
        expect(git(project, 'status', '--porcelain')).toBe('')
        expect(readFileSync(inProject('a.txt'), 'utf8')).toBe('task\n')
        expect(existsSync(inProject('sub/c.txt'))).toBe(false)
        expect(tryGit(project, 'merge-base', '--is-ancestor', workplace.branch, 'main')).toBe(true)
        expect(await worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'removed' })
        return crashed
      })
      expect(last).toBeGreaterThan(5)
    })
  }

  test('[BO120] a merge that was cut short while files were written is finished, unless a person changed them since', async () => {
    for (const isTouched of [false, true]) {
      const { root, project, worktrees, workplace, inProject, inWorkplace } = await open()
      for (const name of ['a.txt', 'new.txt', 'sub/c.txt']) writeFileSync(inWorkplace(name), 'task\n')
      expect(crashAt({ root, call: 'merge', workplace, project, dieAt: 'files' })).toBe(true)
      writeFileSync(inProject('a.txt'), 'task\n')
      writeFileSync(inProject('new.txt'), isTouched ? 'mine\n' : 'task\n')
      const result = await worktrees.merge(workplace, ME)
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
    const workplace = await fixture.prepare()
    return { ...fixture, workplace, at: (name: string) => join(workplace.folder, name) }
  }

  test('[BO119] brings every change over and nothing else', async () => {
    const { worktrees, workplace, project, at } = await openCopy()
    writeFileSync(at('a'), 'changed\n')
    chmodSync(at('b'), 0o755)
    rmSync(at('sub'), { recursive: true })
    writeFileSync(at('sub'), 'a file now\n')
    mkdirSync(at('-x'))
    writeFileSync(at('-x/new\nline'), 'new\n')
    symlinkSync('a', at('link'))
    writeFileSync(join(project, 'other'), 'stays\n')
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true, how: 'applied', commit: null })
    rmSync(join(project, 'other'))
    expect(listFiles(project)).toEqual(listFiles(workplace.folder))
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ how: 'nothing' })
    expect(await worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'removed' })
  })

  test('[BO119] is refused when a file it touches has changed since, and changes nothing', async () => {
    const cases: [change: (project: string) => void, code: string][] = [
      [(project) => writeFileSync(join(project, 'a'), 'mine\n'), 'project_changed'],
      [(project) => rmSync(join(project, 'a')), 'project_changed'],
      [(project) => chmodSync(join(project, 'a'), 0o755), 'project_changed'],
      [(project) => writeFileSync(join(project, 'new'), 'mine\n'), 'project_changed'],
      [(project) => rmSync(project, { recursive: true }), 'project_missing'],
    ]
    for (const [change, code] of cases) {
      const { worktrees, workplace, project, at } = await openCopy()
      writeFileSync(at('a'), 'task\n')
      writeFileSync(at('new'), 'task\n')
      rmSync(at('b'))
      change(project)
      const before = listFiles(project)
      expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: false, code })
      expect(listFiles(project)).toEqual(before)
    }
  })

  test('[BO119] never writes through a link, and takes over none that leads out', async () => {
    const { worktrees, workplace, project, folder, at } = await openCopy()
    writeFileSync(at('sub/c'), 'task\n')
    writeFileSync(at('sub/fresh'), 'task\n')
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'c'), 'sub/c\n')
    rmSync(join(project, 'sub'), { recursive: true })
    symlinkSync(outside, join(project, 'sub'))
    expect(await worktrees.merge(workplace, ME)).toMatchObject({ code: 'project_changed' })
    expect([...listFiles(outside).keys()]).toEqual(['c'])
    const other = await openCopy()
    symlinkSync('/etc/passwd', other.at('out'))
    expect(await other.worktrees.merge(other.workplace, ME)).toMatchObject({ code: 'files_in_the_way', files: ['out'] })
    expect(existsSync(join(other.project, 'out'))).toBe(false)
  })

  test('[BO120] killed at any step, it is finished by merging again', { timeout: 300_000 }, async () => {
    const last = await dieAtSteps(async (dieAt) => {
      const { root, worktrees, workplace, project, at } = await openCopy()
      writeFileSync(at('a'), 'task\n')
      rmSync(at('b'))
      writeFileSync(at('new'), 'task\n')
      const crashed = crashAt({ root, call: 'merge', workplace, project, dieAt })
      expect(await worktrees.merge(workplace, ME)).toMatchObject({ ok: true })
      expect(listFiles(project)).toEqual(listFiles(workplace.folder))
      return crashed
    })
    expect(last).toBeGreaterThan(3)
  })
})
