import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../session/entry.ts'
import { replaceFile } from '../session/replace-file.ts'
import { lookAt } from './look-at-path.ts'
import type { PlainFiles } from './plain-file.ts'

/** The runtime's record of a workspace. Times are ISO strings. */
export interface WorkspaceState {
  readonly version: 1
  readonly bootstrapSeededAt?: string
  readonly setupCompletedAt?: string
  /** Hash of BOOTSTRAP.md as the runtime wrote it; absent if someone else wrote the file. */
  readonly bootstrapSha256?: string
  /** Hash of the files that the ritual fills in, at the start of the ritual. */
  readonly profileSha256?: string
}

const FOLDER = '.clawboo'
const FILE = 'workspace-state.json'

/** null = no state yet. `unreadable` = a state exists but cannot be used. */
export async function readWorkspaceState(
  workspace: string,
  files: PlainFiles,
): Promise<WorkspaceState | null | 'unreadable'> {
  const folder = lookAt(join(workspace, FOLDER))
  if (folder === null) return null
  if (!folder.isDirectory()) return 'unreadable'
  const file = await files.read(join(workspace, FOLDER, FILE))
  if (file.absence === 'missing') return null
  return (file.text !== null && parseState(file.text)) || 'unreadable'
}

/** Replaces the file atomically. Returns false when it cannot, for example because a link has its name. */
export async function writeWorkspaceState(workspace: string, state: WorkspaceState): Promise<boolean> {
  const folder = join(workspace, FOLDER)
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await lstat(folder)).isDirectory()) return false
    await replaceFile(join(folder, FILE), (fresh) => fresh.writeFile(`${JSON.stringify(state, null, 2)}\n`))
    return true
  } catch {
    return false
  }
}

function parseState(text: string): WorkspaceState | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || value.version !== 1) return null
    const fields = ['bootstrapSeededAt', 'setupCompletedAt', 'bootstrapSha256', 'profileSha256'] as const
    const known = fields.flatMap((field) => {
      const entry = value[field]
      return typeof entry === 'string' ? [[field, entry] as const] : []
    })
    return { version: 1, ...Object.fromEntries(known) }
  } catch {
    return null
  }
}
