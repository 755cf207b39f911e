import { createHash } from 'node:crypto'
import { mkdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AGENT_FILE_NAMES, type AgentFileName } from '@clawboo/core/registry'
import { type AgentFileStem, agentFile, factsOf, RITUAL_FILE } from './bootstrap-file.ts'
import { lookAt } from './look-at-path.ts'
import type { PlainFiles } from './plain-file.ts'
import { createBootstrapReader } from './read-bootstrap-files.ts'
import { decideRitual, type RitualMode, type RitualRun, ritualMode } from './ritual.ts'
import { ritualText, seedTexts } from './templates.ts'
import { readWorkspaceState, type WorkspaceState, writeWorkspaceState } from './workspace-state.ts'
import { finishNewFile, writeNewFile } from './write-new-file.ts'

export interface EnsureWorkspaceOptions {
  /** Absolute. */
  readonly workspace: string
  readonly agentName: string
  /**
   * Asked only of files that are not on disk. One with a revision is a lost copy, which its revision restores: a template
   * in its place would pass for an edit.
   */
  hasRevision(name: AgentFileName): Promise<boolean>
  readonly run: RitualRun
  /** Creates nothing but the folder. */
  readonly skipBootstrap?: boolean
  /** Optional files that are not created; naming a required one has no effect. */
  readonly skipOptionalBootstrapFiles?: readonly AgentFileName[]
  /** Milliseconds. */
  now(): number
  /** Keeps texts between calls; without it every call reads the files. */
  readonly files?: PlainFiles
}

export interface EnsuredWorkspace {
  readonly ritual: RitualMode
  /** Also true when this run is told nothing of it. */
  readonly ritualPending: boolean
  readonly state: WorkspaceState
  /** What this call created. */
  readonly seeded: readonly string[]
  /** Why the state could not be kept; null = it was, or needed no change. */
  readonly problem: string | null
}

/** Makes the folder, gives it the first texts it lacks, and moves the ritual on. One call at a time per workspace. */
export async function ensureWorkspace(options: EnsureWorkspaceOptions): Promise<EnsuredWorkspace> {
  const { workspace } = options
  if (!lookAt(workspace)?.isDirectory()) await mkdir(workspace, { recursive: true, mode: 0o700 })
  const files = options.files ?? createBootstrapReader()
  const before = await readWorkspaceState(workspace, files)
  if (options.skipBootstrap) return withoutSeeding(options, files, before)
  if (before === null) for (const name of [...AGENT_FILE_NAMES, RITUAL_FILE]) await finishNewFile(join(workspace, name))
  // Before seeding, which would hide whose texts were there.
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
  // The file before the state: a crash in between leaves a ritual whose file is gone, which is over.
  if (action === 'delete') await unlink(join(workspace, RITUAL_FILE)).catch(() => {})
  const unchanged = JSON.stringify(state) === JSON.stringify(before)
  const kept = unchanged || (await writeWorkspaceState(workspace, state))
  const pending = state.setupCompletedAt === undefined && (action === 'write' || ritual.hasText)
  return {
    ritual: ritualMode(pending, options.run),
    ritualPending: pending,
    state,
    seeded,
    problem: kept ? null : 'the state of the workspace cannot be written; something stands in its place',
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
  const made = await Promise.all(
    [...seedTexts(options.agentName)].map(async ([name, text]) => {
      const unwanted = factsOf(name).seeded === 'optional' && options.skipOptionalBootstrapFiles?.includes(name)
      const path = join(options.workspace, name)
      const there = lookAt(path)
      if (there && there.nlink > 1) await finishNewFile(path)
      if (unwanted || there !== null || (await options.hasRevision(name))) return []
      return (await writeNewFile(path, text)) ? [name] : []
    }),
  )
  return made.flat()
}

/** A text that is still the one a new workspace is given does not count: the last start may have stopped half-way. */
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

/** What the ritual fills in. A blank file is as good as none. */
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
