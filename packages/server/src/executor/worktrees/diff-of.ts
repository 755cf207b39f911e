import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { exists } from './git/find-repository.ts'
import { namesOf, showName } from './git/git-command.ts'
import { type Shadow, type Snapshot, shadowGit, takeSnapshot } from './git/shadow-repository.ts'
import { readWorktreeState } from './git/worktree-state.ts'
import { asRefusal, type Refusal, RefusedError, refuse } from './refusal.ts'
import type { Worktree } from './worktree.ts'
import { type WorktreePlaces, type WorktreeRecord, wantRecord, writeRecord } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export type FileChange = 'added' | 'changed' | 'removed' | 'renamed' | 'retyped'

export interface DiffFile {
  readonly path: string
  /** The earlier path of a renamed file. */
  readonly oldPath: string | null
  readonly change: FileChange
  /** The mode in git: `100755` is executable, `120000` a link, `160000` another repository. null: no such file. */
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly isBinary: boolean
  readonly hunks: readonly DiffHunk[]
  /** True when hunks are missing. */
  readonly isCut: boolean
}

/** All changes of a task since it started, committed or not. */
export interface WorktreeDiff {
  readonly files: readonly DiffFile[]
  /** The number of changed files; `files` may list fewer. */
  readonly fileCount: number
  readonly isCut: boolean
  /** The hash of every path, mode and content, including the part that is cut. */
  readonly sha256: string
  /**
   * The time when this content was first seen, which is never before its newest change. null: nothing was ever changed.
   */
  readonly changedAt: number | null
  /** Folders that are separate repositories. Their files are not compared. */
  readonly repositories: readonly string[]
}

export type DiffResult = { readonly ok: true; readonly diff: WorktreeDiff } | Refusal

export async function diffOf(context: WorktreesContext, worktree: Worktree): Promise<DiffResult> {
  return asRefusal(async () => {
    const { places, record, shadow } = await wantFiles(context, worktree)
    const snapshot = await snapshotOf(context, places, record, shadow)
    const { entries, sha256 } = await compare(shadow, record.worktree.base, snapshot)
    const changedAt = await noteContent(context, places, record, sha256, entries.length > 0)
    const shown =
      entries.length === 0
        ? { files: [], fileCount: 0, isCut: false }
        : await show(context, shadow, record, snapshot.tree)
    const repositories = snapshot.repositories.map(showName)
    return { ok: true, diff: { ...shown, sha256, changedAt, repositories } }
  })
}

/** Finds the record of a worktree that has files. Throws a `RefusedError`. */
export async function wantFiles(context: WorktreesContext, worktree: Worktree) {
  if (worktree.kind === 'none') {
    throw new RefusedError(refuse('no_project', 'The team has no project folder, so there is nothing to compare.'))
  }
  const found = await wantRecord(context, worktree)
  if (found.record.state === 'removing' || !(await exists(found.places.files))) {
    throw new RefusedError(refuse('worktree_missing', `The folder ${found.places.files} is gone.`))
  }
  return found
}

export async function snapshotOf(
  context: WorktreesContext,
  places: WorktreePlaces,
  record: WorktreeRecord,
  shadow: Shadow,
  intoProject = false,
): Promise<Snapshot> {
  const state = await readWorktreeState(context.program, places, record)
  return takeSnapshot(shadow, {
    workTree: places.files,
    from: state?.head ?? record.worktree.base,
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

/** All differences between two trees, by raw path. A rename is a removal and an addition. */
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
  const fields = namesOf(stdout)
  return fields.flatMap((head, at) => {
    if (at % 2 === 1) return []
    const [oldMode, newMode, oldId, newId] = head.slice(1).split(' ')
    return [{ path: fields[at + 1]!, oldMode: oldMode!, newMode: newMode!, oldId: oldId!, newId: newId! }]
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
 * Returns the time when this content was first seen. The times of files are not used: an agent can set them, and a
 * deletion has none.
 */
async function noteContent(
  context: WorktreesContext,
  places: WorktreePlaces,
  record: WorktreeRecord,
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

async function show(context: WorktreesContext, shadow: Shadow, record: WorktreeRecord, tree: string) {
  const { diffBytes, diffFiles } = context.limits
  const range = [record.worktree.base, tree]
  // Both calls detect renames in the same way, so that the sections of the patch have the order of the list.
  const common = ['diff-tree', '-r', '-M', '-l500', ...SHOWN]
  const list = await shadowGit(shadow, [...common, '--raw', '-z', ...range])
  const patch = await shadowGit(shadow, [...common, '-p', '-U3', ...range], { cutAfter: diffBytes })
  // The last line may be incomplete.
  const whole = patch.cut ? patch.stdout.subarray(0, patch.stdout.lastIndexOf('\n') + 1) : patch.stdout
  const sections = parsePatch(whole.toString('utf8'))
  const changes = readChanges(list.stdout)
  const files: DiffFile[] = []
  let section = 0
  for (const change of changes.slice(0, diffFiles)) {
    // A file that became a link is a removal and an addition in the patch.
    const next = section + (change.letter === 'T' ? 2 : 1)
    const own = sections.slice(section, next)
    files.push({
      path: showName(change.path),
      oldPath: change.oldPath === null ? null : showName(change.oldPath),
      change: CHANGES[change.letter] ?? 'changed',
      oldMode: modeOrNull(change.oldMode),
      newMode: modeOrNull(change.newMode),
      isBinary: own.some(({ isBinary }) => isBinary),
      hunks: own.flatMap(({ hunks }) => hunks),
      isCut: patch.cut && next >= sections.length,
    })
    section = next
  }
  return { files, fileCount: changes.length, isCut: patch.cut || changes.length > files.length }
}

interface RawChange {
  /** The status letter of git, such as A, D, M, R or T. */
  readonly letter: string
  readonly oldMode: string
  readonly newMode: string
  readonly path: string
  readonly oldPath: string | null
}

/** Reads `diff-tree --raw -z`: each change is a head and one path, or two for a rename. */
function readChanges(stdout: Buffer): RawChange[] {
  const fields = namesOf(stdout)
  const changes: RawChange[] = []
  for (let at = 0; at < fields.length; ) {
    const [oldMode, newMode, , , status] = fields[at]!.slice(1).split(' ')
    const letter = status!.charAt(0)
    const isRenamed = letter === 'R'
    changes.push({
      letter,
      oldMode: oldMode!,
      newMode: newMode!,
      path: fields[at + (isRenamed ? 2 : 1)]!,
      oldPath: isRenamed ? fields[at + 1]! : null,
    })
    at += isRenamed ? 3 : 2
  }
  return changes
}

const modeOrNull = (mode: string) => (mode === '000000' ? null : mode)

/** One part of a changed file. */
interface DiffHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly DiffLine[]
}

interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** True for a last line without a newline. */
  readonly isOpen?: boolean
}

interface PatchSection {
  readonly isBinary: boolean
  readonly hunks: readonly DiffHunk[]
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Splits a patch into one section per file, in the same order. Ignores the names in it. */
function parsePatch(patch: string): PatchSection[] {
  const sections: { isBinary: boolean; hunks: { head: RegExpExecArray; lines: DiffLine[] }[] }[] = []
  for (const line of patch.split('\n')) {
    const section = sections.at(-1)
    const hunk = section?.hunks.at(-1)
    // Every line of a hunk starts with a sign, so this is a new file.
    if (line.startsWith('diff --git ')) sections.push({ isBinary: false, hunks: [] })
    else if (!section) continue
    else if (line.startsWith('@@ ')) {
      const head = HUNK.exec(line)
      if (head) section.hunks.push({ head, lines: [] })
    } else if (!hunk) section.isBinary ||= line.startsWith('Binary files ') || line === 'GIT binary patch'
    else if (line.startsWith('+')) hunk.lines.push({ kind: 'added', text: line.slice(1) })
    else if (line.startsWith('-')) hunk.lines.push({ kind: 'removed', text: line.slice(1) })
    else if (line.startsWith(' ')) hunk.lines.push({ kind: 'same', text: line.slice(1) })
    else if (line.startsWith('\\')) hunk.lines.push({ ...hunk.lines.pop()!, isOpen: true })
  }
  return sections.map(({ isBinary, hunks }) => ({
    isBinary,
    hunks: hunks.map(({ head, lines }) => ({
      oldStart: Number(head[1]),
      oldLines: Number(head[2] ?? 1),
      newStart: Number(head[3]),
      newLines: Number(head[4] ?? 1),
      lines,
    })),
  }))
}
