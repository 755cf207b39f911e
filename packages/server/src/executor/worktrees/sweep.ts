import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { absentAsNull } from '../../access/absent-file.ts'
import { type CleanUpResult, cleanUp } from './clean-up.ts'
import { exists } from './git/find-repository.ts'
import { asRefusal } from './refusal.ts'
import { placesOf, readRecord } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

/** A worktree of a task on the board. If the task is over, the worktree may be removed when nothing is lost. */
export interface KnownWorktree {
  readonly taskId: string
  readonly attempt: number
  readonly isOver: boolean
}

export interface Swept {
  readonly folder: string
  /**
   * `kept`: in use. `removed`, `parked`: the task is over, as in `cleanUp`. `missing`: on the board, but without a
   * folder. `unknown`: a folder that is not on the board; it stays unchanged. `failed`: cannot be read.
   */
  readonly finding: 'kept' | 'removed' | 'parked' | 'missing' | 'unknown' | 'failed'
  readonly taskId: string | null
  readonly attempt: number | null
  readonly because: string | null
}

/** Compares the folder with the board, and finishes interrupted clean-ups. */
export async function sweep(context: WorktreesContext, known: readonly KnownWorktree[]): Promise<readonly Swept[]> {
  const swept: Swept[] = []
  const expected = new Map(known.map((entry) => [placesOf(context.root, entry.taskId, entry.attempt).folder, entry]))
  for (const folder of await foldersIn(context.root)) {
    const entry = expected.get(folder)
    expected.delete(folder)
    if (entry) swept.push(await settle(context, folder, entry))
    else {
      swept.push({ folder, finding: 'unknown', taskId: null, attempt: null, because: 'It is not on the board.' })
    }
  }
  for (const [folder, { taskId, attempt, isOver }] of expected) {
    // A finished worktree has no folder.
    if (!isOver) swept.push({ folder, finding: 'missing', taskId, attempt, because: 'Its folder does not exist.' })
  }
  return swept
}

async function settle(context: WorktreesContext, folder: string, known: KnownWorktree): Promise<Swept> {
  const { taskId, attempt } = known
  const report = (finding: Swept['finding'], because: string | null = null) => ({
    folder,
    finding,
    taskId,
    attempt,
    because,
  })
  if (!known.isOver) {
    const places = placesOf(context.root, taskId, attempt)
    const record = await asRefusal(() => readRecord(places))
    if (record && 'ok' in record) return report('failed', record.message)
    if (!record) return report('unknown', 'It has no record.')
    if (record.state === 'preparing' || (await exists(places.files))) return report('kept')
    return report('missing', 'Its files do not exist.')
  }
  const result: CleanUpResult = await cleanUp(context, { kind: 'worktree', taskId, attempt })
  if (!result.ok) return report('failed', result.message)
  if (result.outcome === 'parked') return report('parked', result.because)
  return result.outcome === 'removed' ? report('removed') : report('unknown', 'It has no record.')
}

/** Returns each `<task>/<attempt>` and every other entry on either level. */
async function foldersIn(root: string): Promise<string[]> {
  const folders: string[] = []
  // Without the folder, everything on the board is missing.
  for (const entry of (await readdir(root, { withFileTypes: true }).catch(absentAsNull)) ?? []) {
    if (entry.name === '.home' || entry.name === '.check-home') continue
    const path = join(root, entry.name)
    const below = entry.isDirectory() ? ((await readdir(path).catch(absentAsNull)) ?? []) : []
    if (!entry.isDirectory()) folders.push(path)
    else folders.push(...below.map((name) => join(path, name)))
  }
  return folders
}
