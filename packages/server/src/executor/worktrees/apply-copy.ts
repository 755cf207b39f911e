import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, rmdir, symlink, unlink, writeFile } from 'node:fs/promises'
import { leadsInside } from './copy-folder.ts'
import { type ChangedEntry, changedEntries, snapshotOf } from './diff-of.ts'
import { showName } from './git/git-command.ts'
import { type Shadow, shadowGit } from './git/shadow-repository.ts'
import { type Refusal, refuse } from './refusal.ts'
import { blobIdOf, bytesOf, lookAt, modeOf } from './walk-folder.ts'
import type { MergeResult } from './worktree.ts'
import { type WorktreePlaces, type WorktreeRecord, writeRecord } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export interface CopyToApply {
  readonly context: WorktreesContext
  readonly places: WorktreePlaces
  readonly record: WorktreeRecord
  readonly shadow: Shadow
}

/**
 * Merges the changes of a copy into the plain folder. First checks that every file is as it was copied, or was already
 * changed by an interrupted merge, which can therefore be repeated.
 */
export async function applyCopy({ context, places, record, shadow }: CopyToApply): Promise<MergeResult> {
  const { project, base } = record.worktree
  const folder = await lstat(project).catch(() => null)
  if (!folder) return refuse('project_missing', `The project folder ${project} does not exist.`)
  const snapshot = await snapshotOf(context, places, record, shadow)
  if (snapshot.repositories.length > 0) return nestedRefusal(snapshot.repositories)
  const changes = await changedEntries(shadow, record.merged ?? base, snapshot.tree)
  const refusal = await findProblem(shadow, project, changes)
  if (refusal) return refusal
  // Removals first: a folder can replace a file, and a file a folder.
  const inOrder = [...changes].sort((a, b) => Number(isPresent(a.newMode)) - Number(isPresent(b.newMode)))
  for (const change of inOrder) {
    context.onStep('apply')
    await applyChange(shadow, project, change)
  }
  context.onStep('record')
  await writeRecord(places, { ...record, merged: snapshot.tree })
  const files = changes.map(({ path }) => showName(path))
  return { ok: true, how: files.length === 0 ? 'nothing' : 'applied', commit: null, files }
}

export const nestedRefusal = (repositories: readonly string[]): Refusal =>
  refuse(
    'nested_repository',
    `${showName(repositories[0]!)} in the worktree is a separate repository, which cannot be merged. Move it out first.`,
    repositories.map(showName),
  )

const isPresent = (mode: string) => mode !== '000000'

async function findProblem(shadow: Shadow, project: string, changes: readonly ChangedEntry[]): Promise<Refusal | null> {
  const removed = new Set(changes.filter(({ newMode }) => !isPresent(newMode)).map(({ path }) => path))
  const changed: string[] = []
  const leading: string[] = []
  for (const change of changes) {
    if (!(await mayBeWritten(shadow, project, change, removed))) changed.push(change.path)
    if (change.newMode === '120000') {
      const { stdout } = await shadowGit(shadow, ['cat-file', 'blob', change.newId])
      if (!leadsInside(change.path, stdout.toString('latin1'))) leading.push(change.path)
    }
  }
  if (changed.length > 0) {
    return refuse(
      'project_changed',
      `Files in ${project} have changed since they were copied: ${names(changed)}. Nothing was merged. Merge them by hand, or start another attempt.`,
      changed.map(showName),
    )
  }
  if (leading.length === 0) return null
  return refuse(
    'files_in_the_way',
    `These links lead out of the project: ${names(leading)}. Nothing was merged.`,
    leading.map(showName),
  )
}

const names = (paths: readonly string[]) =>
  `${paths.slice(0, 5).map(showName).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`

async function mayBeWritten(
  shadow: Shadow,
  project: string,
  change: ChangedEntry,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  for (let at = change.path.indexOf('/'); at !== -1; at = change.path.indexOf('/', at + 1)) {
    const above = await lookAt(project, change.path.slice(0, at))
    if (above === null) return !isPresent(change.oldMode) || !isPresent(change.newMode)
    // Writing through a link would change a file elsewhere.
    if (above !== 'folder') return removed.has(change.path.slice(0, at)) || !isPresent(change.newMode)
  }
  const found = await lookAt(project, change.path)
  if (found === null) return !isPresent(change.oldMode) || !isPresent(change.newMode)
  if (found === 'folder')
    return !isPresent(change.newMode) || [...removed].some((path) => path.startsWith(`${change.path}/`))
  if (found.kind === 'special') return false
  const id = await blobIdOf(project, found, shadow.objectFormat)
  const isOld = change.oldMode === modeOf(found) && change.oldId === id
  return isOld || (change.newMode === modeOf(found) && change.newId === id)
}

async function applyChange(shadow: Shadow, project: string, { path, newMode, newId }: ChangedEntry): Promise<void> {
  const at = bytesOf(project, path)
  if (!isPresent(newMode)) {
    const found = await lookAt(project, path)
    if (found !== null && found !== 'folder') await unlink(at)
    return
  }
  const up = path.lastIndexOf('/')
  if (up !== -1) await mkdir(bytesOf(project, path.slice(0, up)), { recursive: true })
  // Fails unless the removals above emptied the folder.
  if ((await lookAt(project, path)) === 'folder') await removeEmpty(project, path)
  const { stdout } = await shadowGit(shadow, ['cat-file', 'blob', newId])
  const fresh = bytesOf(project, `${path.slice(0, up + 1)}.clawboo-${randomBytes(6).toString('hex')}`)
  try {
    if (newMode === '120000') await symlink(stdout, fresh)
    else await writeFile(fresh, stdout, { flag: 'wx', mode: newMode === '100755' ? 0o755 : 0o644 })
    await rename(fresh, at)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

async function removeEmpty(project: string, path: string): Promise<void> {
  for (const name of await readdir(bytesOf(project, path), { encoding: 'buffer' })) {
    await removeEmpty(project, `${path}/${name.toString('latin1')}`)
  }
  await rmdir(bytesOf(project, path))
}
