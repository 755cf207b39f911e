import { isAbsolute, resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { EnteredFolder, HostFolder } from '../host.ts'

/** Opens a run's working folder. Rejects with the reason when it cannot be used. */
export async function openWorkFolder(folderAt: (path: string) => HostFolder, path: string): Promise<HostFolder> {
  if (!isAbsolute(path)) throw refused(path, 'it is no whole path')
  const folder = folderAt(resolve(path))
  const check = async () => (await enter(folder, path)).close()
  await check()
  return {
    ...folder,
    async stage(file, content) {
      // Staging creates missing folders, so check first: a deleted folder must stay deleted.
      await check()
      return folder.stage(file, content)
    },
  }
}

async function enter(folder: HostFolder, path: string): Promise<EnteredFolder> {
  const entered = await folder.enter('').catch((error: NodeJS.ErrnoException) => {
    if (error instanceof ClawbooError) throw refused(path, 'it is no folder, or a link')
    if (error.code === 'EACCES' || error.code === 'EPERM') throw refused(path, 'the server may not open it')
    throw error
  })
  if (entered === null) throw refused(path, 'it is not there')
  return entered
}

function refused(path: string, why: string): ClawbooError {
  const shown = path.slice(0, 200)
  return new ClawbooError('path_refused', `the folder "${shown}" to work in is refused: ${why}`, {
    details: { path: shown },
  })
}
