import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { exists } from './find-repository.ts'
import { namesOf, showName } from './git-command.ts'
import { type DiffHunk, type PatchSection, parsePatch } from './parse-patch.ts'
import { type Shadow, type Snapshot, shadowGit, takeSnapshot } from './shadow-repository.ts'
import { asRefusal, type Refusal, RefusedError, refuse, type Workplace } from './workplace.ts'
import { type WorkplacePlaces, type WorkplaceRecord, wantRecord, writeRecord } from './workplace-record.ts'
import { readWorktreeState } from './worktree-state.ts'
import type { WorktreesContext } from './worktrees.ts'

export type FileChange = 'added' | 'changed' | 'removed' | 'renamed' | 'retyped'

export interface DiffFile {
  readonly path: string
  /** Where it was before, when it was renamed. */
  readonly oldPath: string | null
  readonly change: FileChange
  /** As git names them: `100755` is executable, `120000` a link, `160000` another repository; null where it is not. */
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly isBinary: boolean
  readonly hunks: readonly DiffHunk[]
  /** True when there is more than is shown here. */
  readonly isCut: boolean
}

/** What a task changed against where it started, committed or not. */
export interface WorkplaceDiff {
  readonly files: readonly DiffFile[]
  /** How many files changed, also when fewer are listed. */
  readonly fileCount: number
  readonly isCut: boolean
  /** Of every path, mode and content, whatever is cut. Equal for equal changes. */
  readonly sha256: string
  /** When this content was first seen; never earlier than its newest change. Null while nothing was ever changed. */
  readonly changedAt: number | null
  /** Folders that are repositories of their own: what is in them is not compared. */
  readonly repositories: readonly string[]
}

export type DiffResult = { readonly ok: true; readonly diff: WorkplaceDiff } | Refusal

export async function diffOf(context: WorktreesContext, workplace: Workplace): Promise<DiffResult> {
  return asRefusal(async () => {
    const { places, record, shadow } = await wantFiles(context, workplace)
    const snapshot = await snapshotOf(context, places, record, shadow)
    const { entries, sha256 } = await compare(shadow, record.workplace.base, snapshot)
    const changedAt = await noteContent(context, places, record, sha256, entries.length > 0)
    const shown =
      entries.length === 0
        ? { files: [], fileCount: 0, isCut: false }
        : await show(context, shadow, record, snapshot.tree)
    const repositories = snapshot.repositories.map(showName)
    return { ok: true, diff: { ...shown, sha256, changedAt, repositories } }
  })
}

/** The workplace with its files. Throws a `RefusedError`. */
export async function wantFiles(context: WorktreesContext, workplace: Workplace) {
  if (workplace.kind === 'none') {
    throw new RefusedError(refuse('no_project', 'The team has no project folder, so there is nothing to compare with.'))
  }
  const found = await wantRecord(context, workplace)
  if (found.record.state === 'removing' || !(await exists(found.places.files))) {
    throw new RefusedError(refuse('workplace_missing', `The folder ${found.places.files} is gone.`))
  }
  return found
}

export async function snapshotOf(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
  shadow: Shadow,
  intoProject = false,
): Promise<Snapshot> {
  const state = await readWorktreeState(context.program, places, record)
  return takeSnapshot(shadow, {
    workTree: places.files,
    from: state?.head ?? record.workplace.base,
    alsoIn: state ? join(state.admin, 'index') : null,
    mostFileBytes: context.limits.fileBytes,
    intoProject,
  })
}

export interface ChangedEntry {
  readonly path: string
  readonly oldMode: string
  readonly newMode: string
  readonly oldId: string
  readonly newId: string
}

/** Every difference between two trees, by raw path; renames are a removal and an addition. */
export async function changedEntries(shadow: Shadow, from: string, to: string): Promise<ChangedEntry[]> {
  const { stdout } = await shadowGit(shadow, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    from,
    to,
  ])
  const parts = namesOf(stdout)
  return parts.flatMap((head, at) => {
    if (at % 2 === 1) return []
    const [oldMode, newMode, oldId, newId] = head.slice(1).split(' ')
    return [{ path: parts[at + 1]!, oldMode: oldMode!, newMode: newMode!, oldId: oldId!, newId: newId! }]
  })
}

async function compare(shadow: Shadow, base: string, snapshot: Snapshot) {
  const entries = await changedEntries(shadow, base, snapshot.tree)
  const hash = createHash('sha256')
  for (const { path, oldMode, newMode, oldId, newId } of entries) {
    hash.update(`${oldMode} ${newMode} ${oldId} ${newId} `).update(path, 'latin1').update('\0')
  }
  return { entries, sha256: hash.digest('hex') }
}

/**
 * Times of files can be set by whoever writes them, and a deletion has none; so a content counts as changed when it is
 * first seen here.
 */
async function noteContent(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
  sha256: string,
  isChanged: boolean,
): Promise<number | null> {
  if (record.seen?.sha256 === sha256) return record.seen.at
  if (!record.seen && !isChanged) return null
  const at = context.now()
  await writeRecord(places, { ...record, seen: { sha256, at } })
  return at
}

const CHANGES: Readonly<Record<string, FileChange>> = { A: 'added', D: 'removed', R: 'renamed', T: 'retyped' }
const SHOWN = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none', '--submodule=short']

async function show(context: WorktreesContext, shadow: Shadow, record: WorkplaceRecord, tree: string) {
  const { diffBytes, diffFiles } = context.limits
  const range = [record.workplace.base, tree]
  // One and the same detection of renames, so that the sections of the patch come in the order of the list.
  const common = ['diff-tree', '-r', '-M', '-l500', ...SHOWN]
  const list = await shadowGit(shadow, [...common, '--raw', '-z', ...range])
  const patch = await shadowGit(shadow, [...common, '-p', '-U3', ...range], { cutAfter: diffBytes })
  // The last line may be half of one.
  const whole = patch.cut ? patch.stdout.subarray(0, patch.stdout.lastIndexOf('\n') + 1) : patch.stdout
  const sections = parsePatch(whole.toString('utf8'))
  const parts = namesOf(list.stdout)
  const files: DiffFile[] = []
  let fileCount = 0
  for (let at = 0, section = 0; at < parts.length; fileCount += 1) {
    const [oldMode, newMode, , , status] = parts[at]!.slice(1).split(' ')
    const letter = status!.charAt(0)
    const isMoved = letter === 'R'
    const path = parts[at + (isMoved ? 2 : 1)]!
    // A file that became a link is a removal and an addition in the patch.
    const taken = letter === 'T' ? 2 : 1
    const own = sections.slice(section, section + taken)
    const isCut = patch.cut && section + taken >= sections.length
    section += taken
    if (files.length < diffFiles) {
      const oldPath = isMoved ? showName(parts[at + 1]!) : null
      const modes = { oldMode: modeOrNull(oldMode!), newMode: modeOrNull(newMode!) }
      files.push({
        path: showName(path),
        oldPath,
        change: CHANGES[letter] ?? 'changed',
        ...modes,
        ...joined(own),
        isCut,
      })
    }
    at += isMoved ? 3 : 2
  }
  return { files, fileCount, isCut: patch.cut || fileCount > files.length }
}

const modeOrNull = (mode: string) => (mode === '000000' ? null : mode)

const joined = (sections: readonly PatchSection[]) => ({
  isBinary: sections.some(({ isBinary }) => isBinary),
  hunks: sections.flatMap(({ hunks }) => hunks),
})
