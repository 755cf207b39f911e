import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Shadow } from './shadow-repository.ts'
import { type CopyWorkplace, RefusedError, refuse, type WorktreeWorkplace } from './workplace.ts'
import type { WorktreesContext } from './worktrees.ts'

/** What is kept beside a workplace, so that it can be understood without the board. */
export interface WorkplaceRecord {
  readonly workplace: WorktreeWorkplace | CopyWorkplace
  /** Nobody was handed a workplace that is `preparing`. The content of one that is `removing` was found elsewhere. */
  readonly state: 'preparing' | 'ready' | 'parked' | 'removing'
  readonly parkedBecause: string | null
  readonly objectFormat: string
  /** The project's git folders; null for a copy. */
  readonly repository: { readonly gitDir: string; readonly commonDir: string } | null
  /** The last content that was seen, and when it was first seen. */
  readonly seen: { readonly sha256: string; readonly at: number } | null
  /** Written before the project is touched, so that a merge that was cut short can be finished. */
  readonly merging: { readonly from: string; readonly to: string; readonly tip: string } | null
  /** The commit, or for a copy the tree, that the project has taken over. */
  readonly merged: string | null
}

export interface WorkplacePlaces {
  readonly folder: string
  readonly record: string
  readonly shadow: string
  readonly files: string
  /** Where the files are once it is sure that they can go. */
  readonly going: string
}

export function placesOf(root: string, taskId: string, attempt: number): WorkplacePlaces {
  // They become folder and branch names.
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(taskId)) throw new TypeError(`not a task id: ${taskId}`)
  if (!Number.isSafeInteger(attempt) || attempt < 0) throw new TypeError(`not an attempt: ${attempt}`)
  const folder = join(root, taskId, String(attempt))
  return {
    folder,
    record: join(folder, 'workplace.json'),
    shadow: join(folder, 'git'),
    files: join(folder, `${taskId}-${attempt}`),
    going: join(folder, 'going'),
  }
}

export const branchOf = (taskId: string, attempt: number) => `clawboo/${taskId}/${attempt}`

/** Null when there is none. Throws a `RefusedError` when there is one that cannot be read. */
export async function readRecord(places: WorkplacePlaces): Promise<WorkplaceRecord | null> {
  const text = await readFile(places.record, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (text === null) return null
  try {
    return JSON.parse(text) as WorkplaceRecord
  } catch {
    throw new RefusedError(
      refuse('workplace_missing', `${places.record} cannot be read; nothing beside it is touched.`),
    )
  }
}

export async function wantRecord(
  context: WorktreesContext,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
): Promise<{ places: WorkplacePlaces; record: WorkplaceRecord; shadow: Shadow }> {
  const places = placesOf(context.root, taskId, attempt)
  const record = await readRecord(places)
  if (!record || record.state === 'preparing') {
    throw new RefusedError(refuse('workplace_missing', `Attempt ${attempt} at task ${taskId} has no workplace.`))
  }
  return { places, record, shadow: shadowOf(context, places, record) }
}

export const shadowOf = (context: WorktreesContext, places: WorkplacePlaces, record: WorkplaceRecord): Shadow => ({
  folder: places.shadow,
  program: context.program,
  objectFormat: record.objectFormat,
  commonDir: record.repository?.commonDir ?? null,
})

/** A reader, or a crash, finds the old record or the new one. */
export async function writeRecord(places: WorkplacePlaces, record: WorkplaceRecord): Promise<void> {
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
 * The last thing to go: until then a restart knows what to finish. What somebody put beside it stays, and its folder
 * with it.
 */
export async function removeRecord(places: WorkplacePlaces): Promise<void> {
  const unfinished = `.${basename(places.record)}.`
  for (const name of await readdir(places.folder).catch(() => [])) {
    if (name.startsWith(unfinished)) await rm(join(places.folder, name), { force: true })
  }
  await rm(places.record, { force: true })
  await rmdir(places.folder).catch(() => {})
  await rmdir(dirname(places.folder)).catch(() => {})
}
