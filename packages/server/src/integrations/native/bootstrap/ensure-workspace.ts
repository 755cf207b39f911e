import { createHash } from 'node:crypto'
import { link, mkdir, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AGENT_FILE_NAMES, type AgentFileName } from '@clawboo/core/registry'
import { replaceFile } from '../session/replace-file.ts'
import { type AgentFileStem, agentFile, factsOf, RITUAL_FILE } from './bootstrap-file.ts'
import { lookAt } from './look-at-path.ts'
import type { PlainFiles } from './plain-file.ts'
import { createBootstrapReader } from './read-bootstrap-files.ts'
import { decideRitual, type RitualMode, type RitualRun, ritualMode } from './ritual.ts'
import { ritualText, seedTexts } from './templates.ts'
import { readWorkspaceState, type WorkspaceState, writeWorkspaceState } from './workspace-state.ts'

export interface EnsureWorkspaceOptions {
  /** Absolute. */
  readonly workspace: string
  readonly agentName: string
  /**
   * Called only for files that are not on disk. A missing file with a revision is restored from it; a template in its place
   * would look like an edit.
   */
  hasRevision(name: AgentFileName): Promise<boolean>
  readonly run: RitualRun
  /** Creates the folder and no files. */
  readonly skipBootstrap?: boolean
  /** Optional files to leave out; required files are created anyway. */
  readonly skipOptionalBootstrapFiles?: readonly AgentFileName[]
  /** Milliseconds. */
  now(): number
  /** Caches texts between calls. Without it every call reads the files. */
  readonly files?: PlainFiles
}

export interface EnsuredWorkspace {
  readonly ritual: RitualMode
  /** Also true when this run's prompt does not mention the ritual. */
  readonly ritualPending: boolean
  readonly state: WorkspaceState
  /** The files that this call created. */
  readonly seeded: readonly string[]
  /** Why the state could not be stored; null = stored or unchanged. */
  readonly problem: string | null
}

/** Creates the folder, seeds missing files and advances the ritual. Only one call at a time per workspace. */
export async function ensureWorkspace(options: EnsureWorkspaceOptions): Promise<EnsuredWorkspace> {
  const { workspace } = options
  if (!lookAt(workspace)?.isDirectory()) await mkdir(workspace, { recursive: true, mode: 0o700 })
  const files = options.files ?? createBootstrapReader()
  const before = await readWorkspaceState(workspace, files)
  if (options.skipBootstrap) return withoutSeeding(options, files, before)
  if (before === null) for (const name of [...AGENT_FILE_NAMES, RITUAL_FILE]) await finishNewFile(join(workspace, name))
  // Check before seeding: seeded files would make every workspace look the same.
  const isBrandNew = before === null && (await looksBrandNew(options, files))
  const seeded: string[] = await seedFiles(options)
  const ritual = await ritualFile(workspace, files)
  const decision = decideRitual({
    state: before,
    ritualSha256: ritual.sha256,
    profileSha256: await profileSha256(workspace, files),
    isBrandNew,
    now: new Date(options.now()).toISOString(),
  })
  const { action } = decision
  let { state } = decision
  if (action === 'write') {
    const text = ritualText(options.agentName)
    if (await writeNewFile(join(workspace, RITUAL_FILE), text)) {
      seeded.push(RITUAL_FILE)
      state = { ...state, bootstrapSha256: sha256(text) }
    }
    state = { ...state, profileSha256: await profileSha256(workspace, files) }
  }
  // Delete the file before writing the state: after a crash in between, the missing file shows that the ritual has
  // ended. If the file cannot be deleted, the stored state still ends the ritual.
  if (action === 'delete') await unlink(join(workspace, RITUAL_FILE)).catch(() => {})
  const unchanged = JSON.stringify(state) === JSON.stringify(before)
  const stored = unchanged || (await writeWorkspaceState(workspace, state))
  const pending = state.setupCompletedAt === undefined && (action === 'write' || ritual.hasText)
  return {
    ritual: ritualMode(pending, options.run),
    ritualPending: pending,
    state,
    seeded,
    problem: stored ? null : 'the workspace state cannot be written; another file or folder has its name',
  }
}

async function withoutSeeding(
  options: EnsureWorkspaceOptions,
  files: PlainFiles,
  before: WorkspaceState | null | 'unreadable',
): Promise<EnsuredWorkspace> {
  const state: WorkspaceState = before === null || before === 'unreadable' ? { version: 1 } : before
  const { hasText } = await ritualFile(options.workspace, files)
  const ritualPending = hasText && state.setupCompletedAt === undefined
  return { ritual: ritualMode(ritualPending, options.run), ritualPending, state, seeded: [], problem: null }
}

async function seedFiles(options: EnsureWorkspaceOptions): Promise<string[]> {
  const created = await Promise.all(
    [...seedTexts(options.agentName)].map(async ([name, text]) => {
      const unwanted = factsOf(name).seeded === 'optional' && options.skipOptionalBootstrapFiles?.includes(name)
      const path = join(options.workspace, name)
      const existing = lookAt(path)
      if (existing && existing.nlink > 1) await finishNewFile(path)
      if (unwanted || existing !== null || (await options.hasRevision(name))) return []
      return (await writeNewFile(path, text)) ? [name] : []
    }),
  )
  return created.flat()
}

/** Ignores unchanged seed files: an earlier start may have stopped half-way. */
async function looksBrandNew(options: EnsureWorkspaceOptions, files: PlainFiles): Promise<boolean> {
  const { workspace } = options
  for (const folder of ['memory', '.git']) if (lookAt(join(workspace, folder)) !== null) return false
  const templates = seedTexts(options.agentName)
  for (const name of AGENT_FILE_NAMES) {
    const { text, absence } = await files.read(join(workspace, name))
    if (absence === 'missing' ? await options.hasRevision(name) : text !== templates.get(name) && text?.trim() !== '')
      return false
  }
  return true
}

/** Hashes the files that the ritual fills in. A blank file counts as missing. */
async function profileSha256(workspace: string, files: PlainFiles): Promise<string> {
  const stems: readonly AgentFileStem[] = ['SOUL', 'IDENTITY', 'USER', 'MEMORY']
  const texts = await Promise.all(
    stems.map(async (stem) => (await files.read(join(workspace, agentFile(stem)))).text?.trim() ?? ''),
  )
  return sha256(JSON.stringify([...texts, lookAt(join(workspace, 'memory')) !== null]))
}

async function ritualFile(workspace: string, files: PlainFiles): Promise<{ sha256: string | null; hasText: boolean }> {
  const { text, absence } = await files.read(join(workspace, RITUAL_FILE))
  if (text === null) return { sha256: absence === 'missing' ? null : '', hasText: false }
  return { sha256: sha256(text), hasText: text.trim() !== '' }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Returns false and changes nothing when the path exists, even as a link. A crash leaves the complete file or none: an
 * empty file would look like the user's own.
 */
async function writeNewFile(path: string, text: string): Promise<boolean> {
  if (lookAt(path) !== null) return false
  const draft = draftOf(path)
  await replaceFile(draft, (fresh) => fresh.writeFile(text))
  try {
    // A rename would replace a file that someone else has written in the meantime.
    await link(draft, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && !NO_LINKS.includes(code)) throw error
    if (lookAt(path) !== null) return false
    await rename(draft, path)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** The error codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/** Removes the draft that a crash left behind. As a second hard link it would make the file itself unreadable. */
async function finishNewFile(path: string): Promise<void> {
  const draft = draftOf(path)
  if (lookAt(draft) !== null) await rm(draft, { force: true })
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.clawboo-draft`)
}
