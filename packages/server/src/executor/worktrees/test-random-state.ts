import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { commitAll, makeRepository, tryGit } from './test-project.ts'

const NAMES = [
  'a.txt',
  'b.txt',
  '-rf',
  '--',
  'n\nl',
  'q"uote',
  "s'p ace",
  'ünï·çödé',
  'back\\slash',
  'sub/deep/x',
  'sub/y',
  'sub',
  'made.log',
  'ign/z',
  ':(top)m',
]

const name = fc.constantFrom(...NAMES)
const content = fc.constantFrom('', 'one\n', 'two\n', 'one\ntwo\nthree\n', '\0binary', 'crlf\r\n')

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), name, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), name, to: name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('link' as const), name, to: fc.constantFrom('a.txt', '/etc', '..') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('execute' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('inner' as const), name: fc.constantFrom('inner', 'ign/inner', '.') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stage' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unwatch' as const), name }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'commit',
        'amend',
        'undo',
        'soft',
        'stash',
        'pop',
        'detach',
        'home',
        'side',
        'mergeSide',
        'lock',
        'pick',
      ),
    }),
  },
)

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A random scenario: the steps of a person and an agent around one worktree, and its end. */
export const story = fc.record({
  isPlain: fc.integer({ min: 0, max: 4 }).map((at) => at === 0),
  before: fc.array(step, { maxLength: 8 }),
  hasOwnWorktree: fc.boolean(),
  agent: fc.array(step, { maxLength: 10 }),
  person: fc.array(step, { maxLength: 5 }),
  takesOver: fc.constantFrom('nothing', 'merge', 'ours'),
  /** Unfinished operations of the project are aborted first, so that a merge can succeed. */
  isTidied: fc.boolean(),
  settles: fc.boolean(),
  diesAt: fc.integer({ min: 0, max: 12 }),
})

export type Story = typeof story extends fc.Arbitrary<infer T> ? T : never

export function beginProject(project: string, isPlain: boolean): void {
  mkdirSync(join(project, 'sub', 'deep'), { recursive: true })
  if (!isPlain) makeRepository(project)
  writeFileSync(join(project, 'a.txt'), 'one\n')
  writeFileSync(join(project, 'sub', 'y'), 'one\n')
  writeFileSync(join(project, '.gitignore'), '*.log\nign/\n')
  if (!isPlain) commitAll(project)
}

/** Takes one step in a folder. A step that is impossible in the current state does nothing. */
export function take(folder: string, home: string, one: Step): void {
  const at = (path: string) => join(folder, path)
  const run = (...args: string[]) => tryGit(folder, ...args)
  try {
    if ('content' in one) {
      mkdirSync(dirname(at(one.name)), { recursive: true })
      writeFileSync(at(one.name), one.content)
    } else if ('to' in one && one.do === 'rename') renameSync(at(one.name), at(one.to))
    else if ('to' in one) symlinkSync(one.to, at(one.name))
    else if ('name' in one) takeNamed(one, at, run)
    else takeGit(one.do, home, run)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

type Run = (...args: string[]) => boolean

function takeNamed(one: { do: string; name: string }, at: (path: string) => string, run: Run): void {
  if (one.do === 'remove') rmSync(at(one.name), { recursive: true })
  else if (one.do === 'execute') chmodSync(at(one.name), 0o755)
  else if (one.do === 'stage') run('add', '-f', '--', one.name)
  else if (one.do === 'unwatch') run('update-index', '--assume-unchanged', '--', one.name)
  else {
    makeRepository(at(one.name))
    writeFileSync(join(at(one.name), 'x'), 'inner\n')
    commitAll(at(one.name))
  }
}

function takeGit(what: string, home: string, run: Run): void {
  const commit = ['commit', '-q', '-m', 'step']
  if (what === 'commit') run('add', '-A') && run(...commit)
  else if (what === 'amend') run(...commit, '--amend', '--allow-empty')
  else if (what === 'undo') run('reset', '-q', '--hard', 'HEAD~')
  else if (what === 'soft') run('reset', '-q', '--soft', 'HEAD~')
  else if (what === 'stash') run('stash', '-q', '-u')
  else if (what === 'pop') run('stash', 'pop', '-q')
  else if (what === 'detach') run('checkout', '-q', '--detach')
  else if (what === 'home') run('checkout', '-q', home)
  else if (what === 'side') run('checkout', '-q', '-b', `side-${home.replace(/\W/g, '-')}`)
  else if (what === 'mergeSide') run('merge', '-q', `side-${home.replace(/\W/g, '-')}`)
  else if (what === 'pick') run('cherry-pick', `side-${home.replace(/\W/g, '-')}`)
  else run('worktree', 'lock', '.')
}
