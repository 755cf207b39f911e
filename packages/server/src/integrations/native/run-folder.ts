import { isAbsolute, resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { EnteredFolder, HostFolder, IntegrationHost, Readable } from '../host.ts'
import { type CommandSessions, createCommandSessions } from './exec/command-sessions.ts'

/** The working folder of a run that does not use its agent's own workspace. */
export interface RunFolder {
  readonly folder: HostFolder
  /** Files and folders elsewhere that programs in it need, such as the repository of a worktree. */
  readonly reads: readonly Readable[]
  /**
   * Separate from the agent's commands, because they must end with the run: a later change would falsify its result.
   */
  readonly commands: CommandSessions
}

/** Returns undefined for a run in its agent's own workspace. Rejects with the reason when the folder cannot be used. */
export async function openRunFolder(
  host: IntegrationHost,
  path: string | null,
  reads: readonly Readable[] = [],
): Promise<RunFolder | undefined> {
  if (path === null || !host.folderAt) return undefined
  const folder = await openWorkFolder((resolved) => host.folderAt!(resolved), path)
  return { folder, reads, commands: createCommandSessions(host.processes, host.now) }
}

/** Opens a run's working folder. Rejects with the reason when it cannot be used. */
export async function openWorkFolder(folderAt: (path: string) => HostFolder, path: string): Promise<HostFolder> {
  if (!isAbsolute(path)) throw refused(path, 'it is not an absolute path')
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
    if (error instanceof ClawbooError) throw refused(path, 'it is not a folder, or is a link')
    if (error.code === 'EACCES' || error.code === 'EPERM')
      throw refused(path, 'the server has no permission to open it')
    throw error
  })
  if (entered === null) throw refused(path, 'it does not exist')
  return entered
}

function refused(path: string, why: string): ClawbooError {
  const shown = path.slice(0, 200)
  return new ClawbooError('path_refused', `the working folder "${shown}" is refused: ${why}`, {
    details: { path: shown },
  })
}
