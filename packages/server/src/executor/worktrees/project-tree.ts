import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChangedEntry } from './diff-of.ts'
import { exists, type Repository } from './git/find-repository.ts'
import { namesOf, showName } from './git/git-command.ts'
import { type Shadow, shadowGit } from './git/shadow-repository.ts'
import { RefusedError, refuse } from './refusal.ts'
import { blobIdOf, lookAt, modeOf } from './walk-folder.ts'

/** Refuses an index that is locked, or that only the person's own git can write correctly. Throws a `RefusedError`. */
export async function wantPlainIndex(project: Repository, branch: string): Promise<void> {
  if (await exists(join(project.gitDir, 'index.lock'))) {
    const lock = join(project.gitDir, 'index.lock')
    const hint = `If no git is running there, remove ${lock}.`
    throw new RefusedError(refuse('project_busy', `Another git is running in ${project.top}. ${hint}`))
  }
  const isSplit = (await readdir(project.gitDir)).some((name) => name.startsWith('sharedindex.'))
  if (!project.isSparse && !isSplit) return
  const feature = project.isSparse ? 'a sparse checkout' : 'a split index'
  throw new RefusedError(
    refuse('merge_by_hand', `${project.top} uses ${feature}. Merge there yourself: git merge ${branch}`),
  )
}

/**
 * The tracked files of the project that are staged or changed, as names for people. `changes` are those of an interrupted
 * merge: files that already have their new content do not count. Untracked files never count.
 */
export async function findUnclean(
  shadow: Shadow,
  project: Repository,
  changes: readonly ChangedEntry[] = [],
): Promise<string[]> {
  const call = { index: join(project.gitDir, 'index'), workTree: project.top }
  const head = project.head!
  const staged = await shadowGit(
    shadow,
    ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none', head, '--'],
    call,
  )
  const changed = await shadowGit(shadow, ['ls-files', '-m', '-d', '-u', '-z'], call)
  const unclean = new Set<string>()
  const byPath = new Map(changes.map((change) => [change.path, change]))
  const parts = namesOf(staged.stdout)
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, newMode, , newId] = parts[at]!.slice(1).split(' ')
    const change = byPath.get(parts[at + 1]!)
    if (!change || change.newMode !== newMode || change.newId !== newId) unclean.add(parts[at + 1]!)
  }
  for (const name of namesOf(changed.stdout)) {
    const path = /^\d{6} [\da-f]+ \d\t/.test(name) ? name.slice(name.indexOf('\t') + 1) : name
    const change = byPath.get(path)
    if (!change || !(await isOldOrNew(shadow, project.top, change))) unclean.add(path)
  }
  return [...unclean].map(showName)
}

/**
 * Finds the files of a merge with neither their old nor their new content. Repeating the merge would overwrite them.
 */
export async function findForeign(
  shadow: Shadow,
  project: Repository,
  changes: readonly ChangedEntry[],
): Promise<string[]> {
  const foreign: string[] = []
  for (const change of changes) {
    if (!(await isOldOrNew(shadow, project.top, change))) foreign.push(showName(change.path))
  }
  return foreign
}

async function isOldOrNew(shadow: Shadow, top: string, change: ChangedEntry): Promise<boolean> {
  const found = await lookAt(top, change.path)
  const isAbsent = found === null || (found === 'folder' && change.newMode === '000000')
  if (isAbsent || (found === 'folder' && change.newMode === '160000')) return true
  if (found === 'folder' || found.kind === 'special') return false
  const id = await blobIdOf(top, found, shadow.objectFormat)
  const mode = modeOf(found)
  return (mode === change.newMode && id === change.newId) || (mode === change.oldMode && id === change.oldId)
}

/**
 * Finds the files that git would overwrite without a warning, because they are ignored or marked as unchanged. Returns
 * them as names for people.
 */
export async function findInTheWay(
  shadow: Shadow,
  project: Repository,
  changes: readonly ChangedEntry[],
): Promise<string[]> {
  const call = { index: join(project.gitDir, 'index'), workTree: project.top }
  const tracked = new Map(
    namesOf((await shadowGit(shadow, ['ls-files', '-v', '-z'], call)).stdout).map((line) => [line.slice(2), line[0]!]),
  )
  const isTracked = (path: string) => tracked.has(path)
  const found = new Set<string>()
  for (const { path, newMode } of changes) {
    const tag = tracked.get(path)
    // A lower-case tag means assume-unchanged, S means skip-worktree.
    if (tag !== undefined && tag !== 'H') found.add(path)
    if (newMode === '000000' || tag !== undefined) continue
    const other = await findUntracked(project.top, path, isTracked)
    if (other !== null) found.add(other)
  }
  return [...found].map(showName)
}

async function findUntracked(top: string, path: string, isTracked: (path: string) => boolean): Promise<string | null> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const above = path.slice(0, at)
    const entry = await lookAt(top, above)
    if (entry === null) return null
    if (entry !== 'folder') return isTracked(above) ? null : above
  }
  const entry = await lookAt(top, path)
  if (entry === null) return null
  if (entry !== 'folder') return path
  // Git would delete untracked files together with a folder that loses its tracked files.
  return (await hasUntracked(top, path, isTracked)) ? path : null
}

async function hasUntracked(top: string, path: string, isTracked: (path: string) => boolean): Promise<boolean> {
  const names = await readdir(Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]), {
    encoding: 'buffer',
  })
  for (const name of names) {
    const one = `${path}/${name.toString('latin1')}`
    if ((await lookAt(top, one)) === 'folder') {
      if (await hasUntracked(top, one, isTracked)) return true
    } else if (!isTracked(one)) return true
  }
  return false
}
