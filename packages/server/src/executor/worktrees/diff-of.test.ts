import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorktreeDiff } from './diff-of.ts'
import { commitAll, type Fixture, git, makeRepository, openFixture } from './test-project.ts'
import type { Worktree } from './worktree.ts'
import type { WorktreesOptions } from './worktrees.ts'

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('')

async function open(kind: 'worktree' | 'copy', options: Partial<WorktreesOptions> = {}) {
  const fixture = await openFixture(options)
  const { project } = fixture
  if (kind === 'worktree') makeRepository(project)
  mkdirSync(join(project, 'sub'), { recursive: true })
  writeFileSync(join(project, 'long.txt'), LINES)
  writeFileSync(join(project, 'gone.txt'), 'gone\n')
  writeFileSync(join(project, 'old-name.txt'), `${LINES}x\n`)
  writeFileSync(join(project, 'sub', 'picture'), Buffer.from([0, 1, 2, 3]))
  writeFileSync(join(project, 'becomes-link'), 'text\n')
  writeFileSync(join(project, '.gitignore'), 'ignored\n')
  if (kind === 'worktree') commitAll(project)
  return { fixture, worktree: await fixture.prepare() }
}

async function diff({ worktrees }: Fixture, worktree: Worktree): Promise<WorktreeDiff> {
  const result = await worktrees.diffOf(worktree)
  if (!result.ok) expect.fail(result.message)
  return result.diff
}

describe.each(['worktree', 'copy'] as const)('the diff of a %s', (kind) => {
  test('[BO108] a diff shows new, changed, removed, renamed, retyped and binary files with their lines', async () => {
    const { fixture, worktree } = await open(kind)
    const at = (name: string) => join(worktree.folder, name)
    writeFileSync(at('long.txt'), LINES.replace('line 3\n', 'line three\n').replace('line 30\n', ''))
    rmSync(at('gone.txt'))
    renameSync(at('old-name.txt'), at('new-name.txt'))
    writeFileSync(at('sub/picture'), Buffer.from([0, 9]))
    rmSync(at('becomes-link'))
    symlinkSync('long.txt', at('becomes-link'))
    writeFileSync(at('new.sh'), 'echo')
    chmodSync(at('new.sh'), 0o755)
    writeFileSync(at('ignored'), 'not shown\n')
    const { files, fileCount, isCut } = await diff(fixture, worktree)
    expect({ fileCount, isCut }).toEqual({ fileCount: 6, isCut: false })
    expect(files.map(({ path, change, oldPath, newMode }) => [path, change, oldPath, newMode])).toEqual([
      ['becomes-link', 'retyped', null, '120000'],
      ['gone.txt', 'removed', null, null],
      ['long.txt', 'changed', null, '100644'],
      ['new-name.txt', 'renamed', 'old-name.txt', '100644'],
      ['new.sh', 'added', null, '100755'],
      ['sub/picture', 'changed', null, '100644'],
    ])
    const [link, , long, , fresh, picture] = files
    expect(long!.hunks.map((hunk) => [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines])).toEqual([
      [1, 6, 1, 6],
      [27, 7, 27, 6],
    ])
    expect(long!.hunks[0]!.lines.slice(2, 4)).toEqual([
      { kind: 'removed', text: 'line 3' },
      { kind: 'added', text: 'line three' },
    ])
    expect(fresh!.hunks[0]!.lines).toEqual([{ kind: 'added', text: 'echo', isOpen: true }])
    expect(link!.hunks.flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual(['text', 'long.txt'])
    expect(picture).toMatchObject({ isBinary: true, hunks: [] })
  })

  test('[BO109] a diff shows where it is cut, and its hash covers everything', async () => {
    const { fixture, worktree } = await open(kind, { limits: { diffBytes: 1300, diffFiles: 3 } })
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(worktree.folder, name), LINES)
    const first = await diff(fixture, worktree)
    expect(first).toMatchObject({ fileCount: 5, isCut: true })
    expect(first.files.map(({ isCut }) => isCut)).toEqual([false, false, true])
    expect((await diff(fixture, worktree)).sha256).toBe(first.sha256)
    appendFileSync(join(worktree.folder, 'e'), 'more')
    const second = await diff(fixture, worktree)
    expect(second.sha256).not.toBe(first.sha256)
    chmodSync(join(worktree.folder, 'e'), 0o755)
    expect((await diff(fixture, worktree)).sha256).not.toBe(second.sha256)
  })

  test('[BO110] the time of a change is the time when it was first seen, not the time of the file', async () => {
    let now = 1000
    const { fixture, worktree } = await open(kind, { now: () => now })
    const times: (number | null)[] = []
    const look = async () => times.push((await diff(fixture, worktree)).changedAt)
    await look()
    now = 2000
    writeFileSync(join(worktree.folder, 'long.txt'), 'new\n')
    utimesSync(join(worktree.folder, 'long.txt'), 1, 1)
    await look()
    now = 3000
    await look()
    rmSync(join(worktree.folder, 'gone.txt'))
    now = 4000
    await look()
    now = 5000
    await fixture.worktrees.runCheck(worktree, 'touch ignored; echo x >ignored')
    await look()
    now = 6000
    writeFileSync(join(worktree.folder, 'gone.txt'), 'gone\n')
    writeFileSync(join(worktree.folder, 'long.txt'), LINES)
    await look()
    expect(times).toEqual([null, 2000, 2000, 4000, 4000, 6000])
  })

  test('[BO108] a check cannot hide files from a diff with settings in its home', async () => {
    const { fixture, worktree } = await open(kind)
    const hide = 'mkdir -p ~/git ~/.config/git && echo "*" | tee ~/git/ignore ~/.config/git/ignore; echo new >new'
    expect(await fixture.worktrees.runCheck(worktree, hide)).toMatchObject({ check: { exitCode: 0 } })
    expect((await diff(fixture, worktree)).files.map(({ path }) => path)).toEqual(['new'])
  })

  test('[BO111] any file name is shown and compared exactly', async () => {
    const { fixture, worktree } = await open(kind)
    const names = [
      '-rf',
      '--help',
      'a\nb',
      '"quoted"',
      'ta\tb',
      'ünï·çödé',
      ':(glob)*',
      ' leading',
      'back\\slash',
      'git~1',
    ]
    for (const name of names) writeFileSync(join(worktree.folder, name), `${name}\n`)
    const broken = Buffer.concat([Buffer.from(`${worktree.folder}/`), Buffer.from([0x66, 0xff, 0xfe])])
    writeFileSync(broken, 'bytes\n')
    const { files } = await diff(fixture, worktree)
    expect(files.map(({ path }) => path).sort()).toEqual([...names, 'f��'].sort())
    expect(files.every(({ change, hunks }) => change === 'added' && hunks.length === 1)).toBe(true)
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
    expect(readFileSync(broken, 'utf8')).toBe('bytes\n')
  })

  test('[BO128] a link that leads out is compared as a link, even if it replaced a folder', async () => {
    const { fixture, worktree } = await open(kind)
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'picture'), 'a secret\n')
    rmSync(join(worktree.folder, 'sub'), { recursive: true })
    symlinkSync(outside, join(worktree.folder, 'sub'))
    symlinkSync(join(outside, 'picture'), join(worktree.folder, 'direct'))
    const shown = await diff(fixture, worktree)
    expect(shown.files.map(({ path, change }) => [path, change])).toEqual([
      ['direct', 'added'],
      ['sub', 'added'],
      ['sub/picture', 'removed'],
    ])
    expect(JSON.stringify(shown)).not.toContain('a secret')
  })

  test('[BO128] a pipe that replaced a file counts as a removal and is never read', async () => {
    const { fixture, worktree } = await open(kind)
    rmSync(join(worktree.folder, 'gone.txt'))
    execFileSync('mkfifo', [join(worktree.folder, 'gone.txt'), join(worktree.folder, 'fresh')])
    const { files } = await diff(fixture, worktree)
    expect(files.map(({ path, change }) => [path, change])).toEqual([['gone.txt', 'removed']])
    expect(await fixture.worktrees.cleanUp(worktree)).toMatchObject({ outcome: 'parked' })
  })
})

test('[BO108] one diff has committed, staged and unstaged changes, and ignored files that were added', async () => {
  const { fixture, worktree } = await open('worktree')
  const at = (name: string) => join(worktree.folder, name)
  writeFileSync(at('committed'), '1\n')
  writeFileSync(at('ignored'), '2\n')
  git(worktree.folder, 'add', '-f', 'ignored', 'committed')
  git(worktree.folder, 'commit', '-q', '-m', 'one')
  mkdirSync(at('deep'))
  writeFileSync(at('deep/ignored'), '3\n')
  git(worktree.folder, 'add', '-f', 'deep/ignored')
  writeFileSync(at('untracked'), '4\n')
  const { files } = await diff(fixture, worktree)
  expect(files.map(({ path }) => path)).toEqual(['committed', 'deep/ignored', 'ignored', 'untracked'])
})

test('[BO108] a repository inside the worktree is named and not read', async () => {
  const { fixture, worktree } = await open('worktree')
  makeRepository(join(worktree.folder, 'inner'))
  commitAll(join(worktree.folder, 'inner'))
  expect(await diff(fixture, worktree)).toMatchObject({ repositories: ['inner'], fileCount: 0 })
})

test('[BO109] a file that is too large to compare is named', async () => {
  const { fixture, worktree } = await open('worktree', { limits: { fileBytes: 100_000 } })
  writeFileSync(join(worktree.folder, 'huge'), 'x'.repeat(100_001))
  expect(await fixture.worktrees.diffOf(worktree)).toMatchObject({ ok: false, code: 'too_large', files: ['huge'] })
})
