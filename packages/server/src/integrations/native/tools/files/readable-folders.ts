import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isInside } from '../../exec/inside-folder.ts'
import type { WorkspaceFiles } from './workspace-files.ts'

/** Lets `open` reach more folders, such as those of the agent's skills. They stay read-only. */
export function withReadableFolders(files: WorkspaceFiles, folders: readonly string[]): WorkspaceFiles {
  return {
    ...files,
    async open(path) {
      const folder = isAbsolute(path) ? folders.find((root) => isInside(root, path)) : undefined
      return folder === undefined ? files.open(path) : openInside(folder, path)
    },
  }
}

/** Lets `open` reach the agent's own workspace too, with the same checks: the agent could have created links there. */
export function withReadableWorkspace(files: WorkspaceFiles, own: WorkspaceFiles): WorkspaceFiles {
  return {
    ...files,
    open: async (path) => (isAbsolute(path) && isInside(own.root, path) ? own.open(path) : files.open(path)),
  }
}

/** Returns null for a link out of the folder, as for a missing file. */
async function openInside(folder: string, path: string): Promise<FileHandle | null> {
  const [root, real] = await Promise.all([folder, path].map((each) => realpath(each).catch(() => null)))
  if (!root || !real || !isInside(root, real)) return null
  // O_NOFOLLOW refuses a link that was created after the check. O_NONBLOCK keeps a pipe from blocking the read.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, flags).catch(() => null)
  if (handle === null) return null
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  return null
}
