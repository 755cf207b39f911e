import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSoak } from '../../../../../test/seed.ts'
import { testProcesses } from '../../processes/test-processes.ts'
import { type Fixture, git, listFiles, ME, openFixture, personsOwn, tryGit } from './test-project.ts'
import { beginProject, type Story, story, take } from './test-random-state.ts'
import type { Worktree } from './worktree.ts'
import { openWorktrees } from './worktrees.ts'

const ROUNDS = isSoak ? 1000 : 10

const filesOf = (folder: string) => listFiles(folder, (path) => path === '.git')

/** All commits that a ref or a reflog leads to. */
function commitsOf(...folders: string[]): Set<string> {
  const list = (folder: string) =>
    tryGit(folder, 'rev-parse', 'HEAD') ? git(folder, 'rev-list', '--all', '--reflog', 'HEAD').split('\n') : []
  return new Set(folders.filter((folder) => existsSync(folder)).flatMap(list))
}

/** The files that git itself ignores, such as every file below a folder `made.log`. */
function ignoredIn(folder: string): Set<string> {
  const listed = git(folder, 'ls-files', '-o', '-i', '--exclude-standard', '-z')
  return new Set(Buffer.from(listed).toString('latin1').split('\0'))
}

interface Before {
  readonly files: Map<string, string>
  readonly ignored: Set<string>
  readonly staged: string
  readonly head: string
  readonly commits: Set<string>
  readonly person: Map<string, string>
}

function lookBefore(project: string, worktree: Worktree): Before {
  const isWorktree = worktree.kind === 'worktree'
  return {
    files: filesOf(worktree.folder),
    ignored: isWorktree ? ignoredIn(worktree.folder) : new Set(),
    staged: isWorktree ? git(worktree.folder, 'ls-files', '-s', '-z') : '',
    head: isWorktree ? git(worktree.folder, 'rev-parse', 'HEAD') : '',
    commits: isWorktree ? commitsOf(project, worktree.folder) : new Set(),
    person: isWorktree ? personsOwn(project) : listFiles(project),
  }
}

/** Expects the project to have all content of the removed folder. */
function expectElsewhere({ project, folder }: Fixture, worktree: Worktree, before: Before): void {
  if (worktree.kind !== 'worktree') return
  const holders = git(
    project,
    'for-each-ref',
    '--format=%(refname)',
    '--contains',
    before.head,
    'refs/heads',
    'refs/tags',
  )
  expect(holders.split('\n').some((ref) => ref && !ref.startsWith('refs/heads/clawboo/'))).toBe(true)
  const again = join(folder, 'again')
  git(project, 'worktree', 'add', '-q', '--detach', again, before.head)
  const committed = filesOf(again)
  for (const [path, what] of before.files) expect([path, committed.get(path)]).toEqual([path, what])
  expect([...committed.keys()].filter((path) => !before.files.has(path))).toEqual([])
  expect(before.staged).toBe(git(again, 'ls-files', '-s', '-z'))
}

test('[BO125] a clean-up in a random state loses no commit and no change, and leaves the person’s repository alone', async () => {
  const outcomes: Record<string, number> = {}
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  await fc.assert(
    fc.asyncProperty(story, (scenario) => play(scenario, count)),
    { numRuns: ROUNDS, endOnFailure: true },
  )
  // Both outcomes must be frequent, or the test proves nothing.
  expect(outcomes.removed).toBeGreaterThan(ROUNDS / 20)
  expect(outcomes.parked).toBeGreaterThan(ROUNDS / 10)
}, 3_600_000)

async function play(scenario: Story, count: (outcome: string) => void): Promise<void> {
  const fixture = await openFixture()
  const { project, folder, worktrees } = fixture
  beginProject(project, scenario.isPlain)
  for (const one of scenario.before) take(project, 'main', one)
  // The person may have turned the plain folder into a repository.
  const isPlain = scenario.isPlain && !existsSync(join(project, '.git'))
  if (scenario.hasOwnWorktree && !isPlain) {
    tryGit(project, 'worktree', 'add', '-q', '--lock', '-b', 'mine', join(folder, 'mine'))
  }
  const own = () => (isPlain ? listFiles(project) : personsOwn(project))
  const untouched = own()
  const prepared = await worktrees.prepareWorktree({ taskId: 'task', attempt: 1, project, ownFolder: folder })
  expect(own()).toEqual(untouched)
  if (!prepared.ok) {
    expect(prepared.code).toMatch(/operation_under_way|nested_repository/)
    count(prepared.code)
    return
  }
  const { worktree } = prepared
  const copied = isPlain ? filesOf(worktree.folder) : null
  const home = worktree.kind === 'worktree' ? worktree.branch : 'main'
  for (const one of scenario.agent) if (!isPlain || !isGitStep(one.do)) take(worktree.folder, home, one)
  for (const one of scenario.person) if (!isPlain || !isGitStep(one.do)) take(project, 'main', one)
  if (scenario.isTidied && !isPlain) tidy(project)
  if (scenario.settles && !isPlain) {
    take(worktree.folder, home, { do: 'home' })
    take(worktree.folder, home, { do: 'commit' })
  }
  const seen = own()
  await worktrees.diffOf(worktree)
  expect(own()).toEqual(seen)
  if (scenario.takesOver === 'merge' && !isPlain) tryGit(project, 'merge', '-q', home)
  if (scenario.takesOver === 'ours') {
    const looked = lookBefore(project, worktree)
    const merged = await worktrees.merge(worktree, ME)
    count(merged.ok ? merged.how : merged.code)
    if (!merged.ok) expect(own()).toEqual(looked.person)
    else if (!isPlain) expect(tryGit(project, 'fsck', '--connectivity-only')).toBe(true)
    expect(filesOf(worktree.folder)).toEqual(looked.files)
  }
  count(await cleanUpAndCompare(fixture, worktree, scenario, isPlain, copied))
  rmSync(folder, { recursive: true, force: true })
}

async function cleanUpAndCompare(
  fixture: Fixture,
  worktree: Worktree,
  scenario: Story,
  isPlain: boolean,
  copied: Map<string, string> | null,
): Promise<'parked' | 'removed'> {
  const { project, root, worktrees } = fixture
  const before = lookBefore(project, worktree)
  await dieOnce(root, worktree, scenario)
  const result = await worktrees.cleanUp(worktree)
  expect(isPlain ? listFiles(project) : personsOwn(project)).toEqual(before.person)
  const after = commitsOf(project, worktree.folder)
  expect([...before.commits].filter((id) => !after.has(id))).toEqual([])
  if (!result.ok) expect.fail(result.message)
  if (result.outcome === 'parked') {
    expect(filesOf(worktree.folder)).toEqual(before.files)
    if (!isPlain) expect(git(worktree.folder, 'ls-files', '-s', '-z')).toBe(before.staged)
    return 'parked'
  }
  expect(existsSync(worktree.folder)).toBe(false)
  expectElsewhere(fixture, worktree, before)
  if (copied && scenario.takesOver !== 'ours') {
    for (const [path, content] of copied) expect(before.files.get(path)).toBe(content)
  }
  // `nothing` counts as removed: the call that was to be killed may have ended first.
  return 'removed'
}

const isGitStep = (what: string) => !['write', 'remove', 'rename', 'link', 'execute', 'inner'].includes(what)

function tidy(project: string): void {
  for (const abort of ['merge', 'cherry-pick', 'rebase']) tryGit(project, abort, '--abort')
  tryGit(project, 'reset', '-q', '--hard')
  tryGit(project, 'checkout', '-q', 'main')
}

/** Runs a clean-up that stops at some step, as if the process had died there. */
async function dieOnce(root: string, worktree: Worktree, scenario: { diesAt: number }): Promise<void> {
  let step = 0
  const onStep = () => {
    if (step === scenario.diesAt) throw new Error('died')
    step += 1
  }
  const dying = await openWorktrees({ root, path: process.env.PATH!, confinement: testProcesses().confinement, onStep })
  await dying.cleanUp(worktree).catch((error: Error) => {
    if (error.message !== 'died') throw error
  })
}
