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
import type { WorkplaceDiff } from './diff-of.ts'
import { commitAll, type Fixture, git, makeRepository, openFixture } from './test-project.ts'
import type { Workplace } from './workplace.ts'
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
  return { fixture, workplace: await fixture.prepare() }
}

async function diff({ worktrees }: Fixture, workplace: Workplace): Promise<WorkplaceDiff> {
  const result = await worktrees.diffOf(workplace)
  if (!result.ok) expect.fail(result.message)
  return result.diff
}

describe.each(['worktree', 'copy'] as const)('the diff of a %s', (kind) => {
  test('[BO108] shows new, changed, removed, renamed, retyped and binary files with their lines', async () => {
    const { fixture, workplace } = await open(kind)
    const at = (name: string) => join(workplace.folder, name)
    writeFileSync(at('long.txt'), LINES.replace('line 3\n', 'line three\n').replace('line 30\n', ''))
    rmSync(at('gone.txt'))
    renameSync(at('old-name.txt'), at('new-name.txt'))
    writeFileSync(at('sub/picture'), Buffer.from([0, 9]))
    rmSync(at('becomes-link'))
    symlinkSync('long.txt', at('becomes-link'))
    writeFileSync(at('new.sh'), 'echo')
    chmodSync(at('new.sh'), 0o755)
    writeFileSync(at('ignored'), 'not shown\n')
    const { files, fileCount, isCut } = await diff(fixture, workplace)
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

  test('[BO109] is cut visibly, while its hash is of everything', async () => {
    const { fixture, workplace } = await open(kind, { limits: { diffBytes: 1300, diffFiles: 3 } })
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(workplace.folder, name), LINES)
    const first = await diff(fixture, workplace)
    expect(first).toMatchObject({ fileCount: 5, isCut: true })
    expect(first.files.map(({ isCut }) => isCut)).toEqual([false, false, true])
    expect((await diff(fixture, workplace)).sha256).toBe(first.sha256)
    appendFileSync(join(workplace.folder, 'e'), 'more')
    const second = await diff(fixture, workplace)
    expect(second.sha256).not.toBe(first.sha256)
    chmodSync(join(workplace.folder, 'e'), 0o755)
    expect((await diff(fixture, workplace)).sha256).not.toBe(second.sha256)
  })

  test('[BO110] a change has the time it was first seen, whatever time the file carries', async () => {
    let now = 1000
    const { fixture, workplace } = await open(kind, { now: () => now })
    const times: (number | null)[] = []
    const look = async () => times.push((await diff(fixture, workplace)).changedAt)
    await look()
    now = 2000
    writeFileSync(join(workplace.folder, 'long.txt'), 'new\n')
    utimesSync(join(workplace.folder, 'long.txt'), 1, 1)
    await look()
    now = 3000
    await look()
    rmSync(join(workplace.folder, 'gone.txt'))
    now = 4000
    await look()
    now = 5000
    await fixture.worktrees.runCheck(workplace, 'touch ignored; echo x >ignored')
    await look()
    now = 6000
    writeFileSync(join(workplace.folder, 'gone.txt'), 'gone\n')
    writeFileSync(join(workplace.folder, 'long.txt'), LINES)
    await look()
    expect(times).toEqual([null, 2000, 2000, 4000, 4000, 6000])
  })

  test('[BO108] a check cannot hide files from it by what it leaves in its home', async () => {
    const { fixture, workplace } = await open(kind)
    const hide = 'mkdir -p ~/git ~/.config/git && echo "*" | tee ~/git/ignore ~/.config/git/ignore; echo new >new'
    expect(await fixture.worktrees.runCheck(workplace, hide)).toMatchObject({ check: { exitCode: 0 } })
    expect((await diff(fixture, workplace)).files.map(({ path }) => path)).toEqual(['new'])
  })

  test('[BO111] any file name is shown and compared as it is', async () => {
    const { fixture, workplace } = await open(kind)
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
    for (const name of names) writeFileSync(join(workplace.folder, name), `${name}\n`)
    const broken = Buffer.concat([Buffer.from(`${workplace.folder}/`), Buffer.from([0x66, 0xff, 0xfe])])
    writeFileSync(broken, 'bytes\n')
    const { files } = await diff(fixture, workplace)
    expect(files.map(({ path }) => path).sort()).toEqual([...names, 'f��'].sort())
    expect(files.every(({ change, hunks }) => change === 'added' && hunks.length === 1)).toBe(true)
    expect(await fixture.worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'parked' })
    expect(readFileSync(broken, 'utf8')).toBe('bytes\n')
  })

  test('[BO128] a link that leads out is compared as a link, also where a folder was', async () => {
    const { fixture, workplace } = await open(kind)
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'picture'), 'a secret\n')
    rmSync(join(workplace.folder, 'sub'), { recursive: true })
    symlinkSync(outside, join(workplace.folder, 'sub'))
    symlinkSync(join(outside, 'picture'), join(workplace.folder, 'direct'))
    const shown = await diff(fixture, workplace)
    expect(shown.files.map(({ path, change }) => [path, change])).toEqual([
      ['direct', 'added'],
      ['sub', 'added'],
      ['sub/picture', 'removed'],
    ])
    expect(JSON.stringify(shown)).not.toContain('a secret')
  })

  test('[BO128] a pipe in a file’s place is a removal, and nobody waits for it', async () => {
    const { fixture, workplace } = await open(kind)
    rmSync(join(workplace.folder, 'gone.txt'))
    execFileSync('mkfifo', [join(workplace.folder, 'gone.txt'), join(workplace.folder, 'fresh')])
    const { files } = await diff(fixture, workplace)
    expect(files.map(({ path, change }) => [path, change])).toEqual([['gone.txt', 'removed']])
    expect(await fixture.worktrees.cleanUp(workplace)).toMatchObject({ outcome: 'parked' })
  })
})

test('[BO108] what is committed, staged and neither is one diff, ignored files that were added included', async () => {
  const { fixture, workplace } = await open('worktree')
  const at = (name: string) => join(workplace.folder, name)
  writeFileSync(at('committed'), '1\n')
  writeFileSync(at('ignored'), '2\n')
  git(workplace.folder, 'add', '-f', 'ignored', 'committed')
  git(workplace.folder, 'commit', '-q', '-m', 'one')
  mkdirSync(at('deep'))
  writeFileSync(at('deep/ignored'), '3\n')
  git(workplace.folder, 'add', '-f', 'deep/ignored')
  writeFileSync(at('untracked'), '4\n')
  const { files } = await diff(fixture, workplace)
  expect(files.map(({ path }) => path)).toEqual(['committed', 'deep/ignored', 'ignored', 'untracked'])
})

test('[BO108] a repository inside is named and not looked into', async () => {
  const { fixture, workplace } = await open('worktree')
  makeRepository(join(workplace.folder, 'inner'))
  commitAll(join(workplace.folder, 'inner'))
  expect(await diff(fixture, workplace)).toMatchObject({ repositories: ['inner'], fileCount: 0 })
})

test('[BO109] a file that is too large to compare is named', async () => {
  const { fixture, workplace } = await open('worktree', { limits: { fileBytes: 100_000 } })
  writeFileSync(join(workplace.folder, 'huge'), 'x'.repeat(100_001))
  expect(await fixture.worktrees.diffOf(workplace)).toMatchObject({ ok: false, code: 'too_large', files: ['huge'] })
})
