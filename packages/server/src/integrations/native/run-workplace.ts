import type { HostFolder, IntegrationHost } from '../host.ts'
import { type CommandSessions, createCommandSessions } from './exec/command-sessions.ts'
import { openWorkFolder } from './work-folder.ts'

/** The working folder of a run that does not use its agent's own workspace. */
export interface RunWorkplace {
  readonly folder: HostFolder
  /**
   * Separate from the agent's commands, because they must end with the run: a later change would falsify its result.
   */
  readonly commands: CommandSessions
}

/** Returns undefined for a run in its agent's own workspace. Rejects with the reason when the folder cannot be used. */
export async function openWorkplace(host: IntegrationHost, path: string | null): Promise<RunWorkplace | undefined> {
  if (path === null || !host.folderAt) return undefined
  const folder = await openWorkFolder((resolved) => host.folderAt!(resolved), path)
  return { folder, commands: createCommandSessions(host.processes, { now: host.now }) }
}
