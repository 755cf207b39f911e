import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, git, ME, makeRepository, openFixture, personsOwn, tryGit } from './test-project.ts'

/** Every setting that can name a program. */
const SETTINGS = [
  ['core', 'fsmonitor'],
  ['core', 'sshCommand'],
  ['core', 'pager'],
  ['core', 'editor'],
  ['core', 'askPass'],
  ['core', 'gitProxy'],
  ['core', 'alternateRefsCommand'],
  ['credential', 'helper'],
  ['diff', 'external'],
  ['diff "evil"', 'command'],
  ['diff "evil"', 'textconv'],
  ['filter "evil"', 'clean'],
  ['filter "evil"', 'smudge'],
  ['filter "evil"', 'process'],
  ['merge "evil"', 'driver'],
  ['gpg', 'program'],
  ['sequence', 'editor'],
  ['uploadpack', 'packObjectsHook'],
] as const

const ALIASES = ['rev-parse', 'status', 'worktree', 'read-tree', 'ls-files', 'update-index', 'diff-tree', 'merge-tree']

/** A repository in which every setting that can name a program names one that leaves a trace. */
async function openHostile() {
  const fixture = await openFixture()
  const { project, folder } = fixture
  const traces = join(folder, 'traces')
  mkdirSync(traces)
  makeRepository(project)
  writeFileSync(join(project, 'a.txt'), 'one\n')
  writeFileSync(join(project, 'b.txt'), 'two\n')
  writeFileSync(join(project, '.gitattributes'), '* filter=evil diff=evil merge=evil\n[attr]wicked filter=evil\n')
  commitAll(project)
  const bad = (name: string) => {
    const script = join(folder, `evil-${name}.sh`)
    writeFileSync(script, `#!/bin/sh\ntouch '${join(traces, name)}'\ncat 2>/dev/null\n`)
    chmodSync(script, 0o755)
    return script
  }
  const poison = (gitDir: string) => {
    const lines = SETTINGS.map(
      ([section, key]) => `[${section}]\n\t${key} = ${bad(`${section.replace(/\W/g, '')}-${key}`)}\n`,
    )
    const alias = `[alias]\n${ALIASES.map((name) => `\t${name} = !${bad(`alias-${name}`)}\n`).join('')}`
    const hooks = join(folder, 'hooks')
    mkdirSync(hooks, { recursive: true })
    for (const hook of HOOKS) {
      for (const place of [hooks, join(gitDir, 'hooks')]) {
        mkdirSync(place, { recursive: true })
        writeFileSync(join(place, hook), `#!/bin/sh\ntouch '${join(traces, `hook-${hook}`)}'\n`)
        chmodSync(join(place, hook), 0o755)
      }
    }
    const more = `[core]\n\thooksPath = ${hooks}\n[filter "evil"]\n\trequired = true\n[commit]\n\tgpgSign = true\n`
    appendFileSync(join(gitDir, 'config'), `${lines.join('')}${alias}${more}`)
  }
  return { ...fixture, traces, poison }
}

/** Settings for the agent's own git in the same repository. */
const HARMLESS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'filter.evil.required=false',
  'filter.evil.process=',
  'filter.evil.clean=',
  'filter.evil.smudge=',
].flatMap((setting) => ['-c', setting])
const HOOKS = ['post-checkout', 'post-merge', 'pre-commit', 'post-commit', 'reference-transaction', 'post-index-change']
const tracesIn = (folder: string) => readdirSync(folder).join(' ')

describe('a hostile repository', () => {
  test('[BO127] runs none of its programs while a task is prepared, compared, merged and cleaned up', async () => {
    const { project, worktrees, prepare, traces, poison } = await openHostile()
    poison(join(project, '.git'))
    const before = personsOwn(project)
    const worktree = await prepare()
    writeFileSync(join(worktree.folder, 'a.txt'), 'task\n')
    writeFileSync(join(worktree.folder, 'new.txt'), 'new\n')
    expect(await worktrees.diffOf(worktree)).toMatchObject({ ok: true, diff: { fileCount: 2 } })
    expect(await worktrees.runCheck(worktree, 'true')).toMatchObject({ ok: true })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
    expect(personsOwn(project)).toEqual(before)
    const other = await prepare(2)
    writeFileSync(join(other.folder, 'b.txt'), 'other\n')
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ code: 'merge_by_hand', files: ['a.txt', 'new.txt'] })
    expect(tracesIn(traces)).toBe('')
    for (const { folder } of [worktree, other]) {
      git(folder, ...HARMLESS, 'add', '-A')
      git(folder, ...HARMLESS, 'commit', '-q', '-m', 'task')
    }
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ how: 'fast-forward' })
    expect(await worktrees.merge(other, ME)).toMatchObject({ how: 'merge-commit' })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'removed' })
    expect(await worktrees.cleanUp(other)).toMatchObject({ outcome: 'removed' })
    expect(tracesIn(traces)).toBe('')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('task\n')
    // A git with the repository's settings does run the programs.
    tryGit(project, 'status')
    tryGit(project, 'show')
    expect(tracesIn(traces)).toMatch(/core-fsmonitor.+filterevil-process/)
  })

  test('[BO127] runs none of the programs of a repository that a task put inside its worktree', async () => {
    const { worktrees, prepare, traces, poison } = await openHostile()
    const worktree = await prepare()
    const inner = join(worktree.folder, 'inner')
    makeRepository(inner)
    writeFileSync(join(inner, 'x'), 'x\n')
    const commit = commitAll(inner)
    git(worktree.folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},inner`)
    git(worktree.folder, 'commit', '-q', '-m', 'a submodule')
    poison(join(inner, '.git'))
    writeFileSync(join(inner, 'x'), 'changed\n')
    expect(await worktrees.diffOf(worktree)).toMatchObject({ ok: true, diff: { repositories: ['inner'] } })
    expect(await worktrees.merge(worktree, ME)).toMatchObject({ code: 'nested_repository' })
    expect(await worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
    expect(tracesIn(traces)).toBe('')
  })

  test('[BO127] never fetches: a missing object is a refusal', async () => {
    const { project, folder, worktrees, traces } = await openHostile()
    const script = join(folder, 'upload.sh')
    writeFileSync(script, `#!/bin/sh\ntouch '${join(traces, 'fetched')}'\n`)
    chmodSync(script, 0o755)
    git(project, 'config', 'extensions.partialClone', 'origin')
    git(project, 'config', 'core.repositoryFormatVersion', '1')
    git(project, 'config', 'remote.origin.url', `ext::${script}`)
    git(project, 'config', 'remote.origin.uploadpack', script)
    git(project, 'config', 'remote.origin.promisor', 'true')
    git(project, 'config', 'protocol.ext.allow', 'always')
    const id = git(project, 'rev-parse', 'HEAD:a.txt')
    rmSync(join(project, '.git', 'objects', id.slice(0, 2), id.slice(2)))
    const request = { taskId: 'task', attempt: 1, project, ownFolder: folder }
    expect(await worktrees.prepareWorktree(request)).toMatchObject({ ok: false, code: 'git_failed' })
    expect(tracesIn(traces)).toBe('')
    expect(git(project, 'for-each-ref', 'refs/heads/clawboo')).toBe('')
    tryGit(project, 'cat-file', '-p', id)
    expect(tracesIn(traces)).toBe('fetched')
  })

  test('[BO127] a program named git in the project is not run', async () => {
    const { project, folder, traces } = await openHostile()
    const own = await openFixture({ path: `.::${project}/../project/./nothing:${process.env.PATH}` })
    writeFileSync(join(project, 'git'), `#!/bin/sh\ntouch '${join(traces, 'git')}'\n`)
    chmodSync(join(project, 'git'), 0o755)
    const request = { taskId: 'task', attempt: 1, project, ownFolder: folder }
    expect(await own.worktrees.prepareWorktree(request)).toMatchObject({ ok: true })
    expect(tracesIn(traces)).toBe('')
  })

  test('[BO127] is refused with a clear message when git is not installed', async () => {
    const { project, folder } = await openHostile()
    const { worktrees } = await openFixture({ path: folder })
    const request = { taskId: 'task', attempt: 1, project, ownFolder: folder }
    expect(await worktrees.prepareWorktree(request)).toMatchObject({ ok: false, code: 'git_missing' })
  })
})
