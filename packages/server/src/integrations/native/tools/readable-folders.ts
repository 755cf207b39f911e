import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import type { WorkspaceFiles } from './workspace-files.ts'

/** Lets `open` reach further folders, such as those of the agent's skills. Nothing can be written there. */
export function withReadableFolders(files: WorkspaceFiles, folders: readonly string[]): WorkspaceFiles {
  return {
    ...files,
    async open(path) {
      const folder = isAbsolute(path) ? folders.find((root) => isInside(root, path)) : undefined
      return folder === undefined ? files.open(path) : openInside(folder, path)
    },
  }
}

/** Lets `open` reach the agent's own workspace too, as carefully as where it works: what lies there is of its making. */
export function withReadableWorkspace(files: WorkspaceFiles, own: WorkspaceFiles): WorkspaceFiles {
  return {
    ...files,
    open: async (path) => (isAbsolute(path) && isInside(own.root, path) ? own.open(path) : files.open(path)),
  }
}

/** A link inside that leads out is refused like a file that is not there. */
async function openInside(folder: string, path: string): Promise<FileHandle | null> {
  const [root, real] = await Promise.all([folder, path].map((each) => realpath(each).catch(() => null)))
  if (!root || !real || !isInside(root, real)) return null
  // The kernel refuses a link put there after the look; a pipe cannot hang the read.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, flags).catch(() => null)
  if (handle === null) return null
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  return null
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
