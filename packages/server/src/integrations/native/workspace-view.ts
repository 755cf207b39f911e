import type { FileHandle } from 'node:fs/promises'
import { ClawbooError } from '@clawboo/core'
import {
  WORKSPACE_MAX_BYTES,
  WORKSPACE_MAX_ENTRIES,
  type WorkspaceFile,
  type WorkspaceView,
} from '@clawboo/core/executor'
import type { HostFolder } from '../host.ts'

/** The runtime's own notes. Case-insensitive, because some file systems are. */
const HIDDEN = /^\.clawboo(\/|$)/i

/** A person's view of an agent's workspace. */
export function viewWorkspace(folder: HostFolder): WorkspaceView {
  return {
    async list(path) {
      if (HIDDEN.test(path)) return null
      const listing = await refuseUnreadable(path, folder.list(path, WORKSPACE_MAX_ENTRIES))
      // The folder may not exist before an agent's first run.
      if (listing === null) return path === '' ? { entries: [], truncated: false } : null
      if (path !== '') return listing
      return { ...listing, entries: listing.entries.filter(({ name }) => !HIDDEN.test(name)) }
    },
    async read(path) {
      if (HIDDEN.test(path)) return null
      const handle = await refuseUnreadable(path, folder.open(path))
      if (handle === null) return null
      try {
        return await readBeginning(handle)
      } finally {
        await handle.close()
      }
    },
  }
}

async function readBeginning(handle: FileHandle): Promise<WorkspaceFile> {
  const { size, mtimeMs } = await handle.stat()
  const bytes = Buffer.alloc(Math.min(size, WORKSPACE_MAX_BYTES))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  const truncated = size > filled
  const text = textOf(bytes.subarray(0, filled), truncated)
  return { bytes: size, modifiedAt: Math.round(mtimeMs), text, truncated }
}

/** null when the bytes are not text. A character that is cut off at the end is dropped. */
function textOf(bytes: Buffer, cut: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
  } catch {
    return null
  }
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'the server has no permission to read it',
  EPERM: 'the server has no permission to read it',
  ENAMETOOLONG: 'its name is too long',
}

/** An agent can make its own files unreadable, and a person can request any name. */
async function refuseUnreadable<T>(path: string, looking: Promise<T>): Promise<T> {
  try {
    return await looking
  } catch (error) {
    const why = WHY[(error as NodeJS.ErrnoException).code ?? '']
    if (why === undefined) throw error
    const shown = path.slice(0, 200)
    throw new ClawbooError('path_refused', `path "${shown}" is refused: ${why}`, { details: { path: shown } })
  }
}
