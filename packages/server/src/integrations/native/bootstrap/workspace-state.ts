import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../session/entry.ts'
import { replaceFile } from '../session/replace-file.ts'
import { lookAt } from './look-at-path.ts'
import type { PlainFiles } from './plain-file.ts'

/** What the runtime remembers about a workspace. Times are ISO texts. */
export interface WorkspaceState {
  readonly version: 1
  readonly bootstrapSeededAt?: string
  readonly setupCompletedAt?: string
  /** Of the ritual as the runtime wrote it; absent when somebody else did. */
  readonly bootstrapSha256?: string
  /** Of the files that the ritual fills in, as they were when it began. */
  readonly profileSha256?: string
}

const FOLDER = '.clawboo'
const FILE = 'workspace-state.json'

/** `unreadable` when there is one that cannot be used: somebody was here, and nobody knows when. */
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

/** Swaps the whole file in. False when something else stands in its place. */
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
