import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Shadow } from './git/shadow-repository.ts'
import { RefusedError, refuse } from './refusal.ts'
import type { CopiedWorktree, GitWorktree } from './worktree.ts'
import type { WorktreesContext } from './worktrees-context.ts'

/** The facts about a worktree that are stored beside it, so that it can be understood without the board. */
export interface WorktreeRecord {
  readonly worktree: GitWorktree | CopiedWorktree
  /** `preparing`: no caller has it yet. `removing`: the project has all of its content. */
  readonly state: 'preparing' | 'ready' | 'parked' | 'removing'
  readonly parkedBecause: string | null
  readonly objectFormat: string
  /** The git folders of the project; null for a copy. */
  readonly repository: { readonly gitDir: string; readonly commonDir: string } | null
  /** The hash of the last known content, and when it was first seen. */
  readonly seen: { readonly sha256: string; readonly at: number } | null
  /** Written before the project changes, so that an interrupted merge can be finished. */
  readonly merging: { readonly from: string; readonly to: string; readonly tip: string } | null
  /** The commit, or for a copy the tree, that was merged into the project. */
  readonly merged: string | null
}

export interface WorktreePlaces {
  readonly folder: string
  readonly record: string
  readonly shadow: string
  readonly files: string
  /** The files move here once they may be deleted. */
  readonly going: string
}

export function placesOf(root: string, taskId: string, attempt: number): WorktreePlaces {
  // Both values become names of folders and branches.
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(taskId)) throw new TypeError(`not a task id: ${taskId}`)
  if (!Number.isSafeInteger(attempt) || attempt < 0) throw new TypeError(`not an attempt: ${attempt}`)
  const folder = join(root, taskId, String(attempt))
  return {
    folder,
    record: join(folder, 'worktree.json'),
    shadow: join(folder, 'git'),
    files: join(folder, `${taskId}-${attempt}`),
    going: join(folder, 'going'),
  }
}

export const branchOf = (taskId: string, attempt: number) => `clawboo/${taskId}/${attempt}`

export const newRecord = (
  worktree: WorktreeRecord['worktree'],
  objectFormat: string,
  repository: WorktreeRecord['repository'],
): WorktreeRecord => ({
  worktree,
  state: 'preparing',
  parkedBecause: null,
  objectFormat,
  repository,
  seen: null,
  merging: null,
  merged: null,
})

/** null when there is no record. Throws a `RefusedError` when it cannot be read. */
export async function readRecord(places: WorktreePlaces): Promise<WorktreeRecord | null> {
  const text = await readFile(places.record, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (text === null) return null
  try {
    return JSON.parse(text) as WorktreeRecord
  } catch {
    throw new RefusedError(
      refuse('worktree_missing', `${places.record} cannot be read. Nothing beside it was changed.`),
    )
  }
}

export async function wantRecord(
  context: WorktreesContext,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
): Promise<{ places: WorktreePlaces; record: WorktreeRecord; shadow: Shadow }> {
  const places = placesOf(context.root, taskId, attempt)
  const record = await readRecord(places)
  if (!record || record.state === 'preparing') {
    throw new RefusedError(refuse('worktree_missing', `Attempt ${attempt} at task ${taskId} has no worktree.`))
  }
  return { places, record, shadow: shadowOf(context, places, record) }
}

export const shadowOf = (context: WorktreesContext, places: WorktreePlaces, record: WorktreeRecord): Shadow => ({
  folder: places.shadow,
  program: context.program,
  objectFormat: record.objectFormat,
  commonDir: record.repository?.commonDir ?? null,
})

/** Replaces the record in one step: a crash leaves the old one or the new one. */
export async function writeRecord(places: WorktreePlaces, record: WorktreeRecord): Promise<void> {
  await mkdir(places.folder, { recursive: true, mode: 0o700 })
  const fresh = join(places.folder, `.${basename(places.record)}.${randomBytes(4).toString('hex')}`)
  const handle = await open(fresh, 'wx', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, places.record)
}

/**
 * Removes the record, as the last step of every clean-up: until then a restart can finish the rest. Other files in the
 * folder stay, and the folder with them.
 */
export async function removeRecord(places: WorktreePlaces): Promise<void> {
  const unfinished = `.${basename(places.record)}.`
  for (const name of await readdir(places.folder).catch(() => [])) {
    if (name.startsWith(unfinished)) await rm(join(places.folder, name), { force: true })
  }
  await rm(places.record, { force: true })
  await removeIfEmpty(places.folder)
  await removeIfEmpty(dirname(places.folder))
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error
  })
}
