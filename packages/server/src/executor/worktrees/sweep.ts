import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type CleanUpResult, cleanUp } from './clean-up.ts'
import { exists } from './find-repository.ts'
import { asRefusal } from './workplace.ts'
import { placesOf, readRecord } from './workplace-record.ts'
import type { WorktreesContext } from './worktrees.ts'

/** A workplace the board knows. One that is over may go, if nothing is lost with it. */
export interface KnownWorkplace {
  readonly taskId: string
  readonly attempt: number
  readonly isOver: boolean
}

export interface Swept {
  readonly folder: string
  /**
   * `kept`: in use. `removed`, `parked`: over, as in cleanUp. `missing`: the board knows it and it is not there.
   * `unknown`: there, and the board does not know it; nothing is done to it. `failed`: could not be looked at.
   */
  readonly finding: 'kept' | 'removed' | 'parked' | 'missing' | 'unknown' | 'failed'
  readonly taskId: string | null
  readonly attempt: number | null
  readonly because: string | null
}

/** Compares the folder with what the board knows, and goes on where a clean-up was cut short. */
export async function sweep(context: WorktreesContext, known: readonly KnownWorkplace[]): Promise<readonly Swept[]> {
  const swept: Swept[] = []
  const expected = new Map(known.map((one) => [placesOf(context.root, one.taskId, one.attempt).folder, one]))
  for (const folder of await foldersIn(context.root)) {
    const one = expected.get(folder)
    expected.delete(folder)
    if (one) swept.push(await settle(context, folder, one))
    else {
      swept.push({ folder, finding: 'unknown', taskId: null, attempt: null, because: 'The board does not know it.' })
    }
  }
  for (const [folder, { taskId, attempt, isOver }] of expected) {
    // Over and gone is how it should be.
    if (!isOver) swept.push({ folder, finding: 'missing', taskId, attempt, because: 'Its folder is not there.' })
  }
  return swept
}

async function settle(context: WorktreesContext, folder: string, known: KnownWorkplace): Promise<Swept> {
  const { taskId, attempt } = known
  const say = (finding: Swept['finding'], because: string | null = null) => ({
    folder,
    finding,
    taskId,
    attempt,
    because,
  })
  if (!known.isOver) {
    const places = placesOf(context.root, taskId, attempt)
    const record = await asRefusal(() => readRecord(places))
    if (record && 'ok' in record) return say('failed', record.message)
    if (!record) return say('unknown', 'It has no record.')
    if (record.state === 'preparing' || (await exists(places.files))) return say('kept')
    return say('missing', 'Its files are not there.')
  }
  const result: CleanUpResult = await cleanUp(context, { kind: 'worktree', taskId, attempt })
  if (!result.ok) return say('failed', result.message)
  if (result.outcome === 'parked') return say('parked', result.because)
  return result.outcome === 'removed' ? say('removed') : say('unknown', 'It has no record.')
}

/** Each `<task>/<attempt>`, and whatever else lies on either level. */
async function foldersIn(root: string): Promise<string[]> {
  const folders: string[] = []
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    if (entry.name === '.home' || entry.name === '.check-home') continue
    const path = join(root, entry.name)
    const below = entry.isDirectory() ? await readdir(path).catch(() => []) : []
    if (!entry.isDirectory()) folders.push(path)
    else folders.push(...below.map((name) => join(path, name)))
  }
  return folders
}
