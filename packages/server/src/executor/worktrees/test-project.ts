import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { testProcesses } from '../../processes/test-processes.ts'
import type { Worktree } from './worktree.ts'
import { openWorktrees, type Worktrees, type WorktreesOptions } from './worktrees.ts'

export const ME = { author: { name: 'Ada', email: 'ada@example.test' }, message: 'The task' }
const OWN = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C', HOME: '/nonexistent' }
const ENV = { ...OWN, PATH: process.env.PATH! }

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'clawboo-worktrees-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs git as the person would. Throws when it fails. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

/** Runs git as the person would. False when it fails. */
export const tryGit = (cwd: string, ...args: string[]): boolean =>
  spawnSync('git', args, { cwd, env: ENV, stdio: 'ignore' }).status === 0

export function makeRepository(folder: string, ...more: string[]): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main', ...more)
  git(folder, 'config', 'user.name', 'Person')
  git(folder, 'config', 'user.email', 'person@example.test')
  return folder
}

export function commitAll(folder: string, message = 'more'): string {
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '--allow-empty', '-m', message)
  return git(folder, 'rev-parse', 'HEAD')
}

export interface Fixture {
  readonly folder: string
  readonly root: string
  readonly project: string
  readonly worktrees: Worktrees
  prepare(attempt?: number, project?: string | null): Promise<Worktree>
}

export async function openFixture(options: Partial<WorktreesOptions> = {}): Promise<Fixture> {
  const folder = makeFolder()
  const root = join(folder, 'home', 'worktrees')
  const project = join(folder, 'project')
  const worktrees = await openWorktrees({
    root,
    path: process.env.PATH!,
    confinement: testProcesses().confinement,
    ...options,
  })
  const prepare = async (attempt = 1, from: string | null = project) => {
    const result = await worktrees.prepareWorktree({ taskId: 'task', attempt, project: from, ownFolder: folder })
    if (!result.ok) expect.fail(result.message)
    return result.worktree
  }
  return { folder, root, project, worktrees, prepare }
}

/** The kind, mode and content of everything below a folder, by path. Does not follow links. */
export function listFiles(folder: string, skip: (path: string) => boolean = () => false): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (below: string) => {
    for (const name of readdirSync(Buffer.from(join(folder, below), 'latin1'), { encoding: 'buffer' })) {
      const path = join(below, name.toString('latin1'))
      if (skip(path)) continue
      const at = Buffer.from(join(folder, path), 'latin1')
      const stats = lstatSync(at)
      if (stats.isDirectory()) visit(path)
      else if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(at)}`)
      else if (!stats.isFile()) found.set(path, 'special')
      else found.set(path, `${stats.mode & 0o111} ${createHash('sha256').update(readFileSync(at)).digest('hex')}`)
    }
  }
  if (existsSync(folder)) visit('')
  return found
}

/**
 * Everything that belongs to the person: files, index, configuration, unfinished operations, refs and reflogs except
 * those of tasks.
 */
export function personsOwn(project: string): Map<string, string> {
  const files = listFiles(
    project,
    (path) =>
      /^\.git\/(objects|worktrees\/task-\d+|packed-refs$|COMMIT_EDITMSG$)/.test(path) ||
      /^\.git\/(logs\/)?refs\/(heads\/)?clawboo(\/|$)/.test(path),
  )
  const refs = tryGit(project, 'rev-parse') ? git(project, 'for-each-ref', '--format=%(refname) %(objectname)') : ''
  files.set('refs', refs.replace(/^refs\/(heads\/)?clawboo\/.*\n?/gm, ''))
  return files
}
