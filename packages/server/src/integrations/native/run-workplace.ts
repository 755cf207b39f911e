import type { HostFolder, IntegrationHost } from '../host.ts'
import { type CommandSessions, createCommandSessions } from './exec/command-sessions.ts'
import { openWorkFolder } from './work-folder.ts'

/** Where a run works that does not work in its agent's own workspace. */
export interface RunWorkplace {
  readonly folder: HostFolder
  /** Its own: what goes on after the run would change what the run is judged by. */
  readonly commands: CommandSessions
}

/** Undefined when the run works in its agent's own workspace. Rejects with the reason when nobody can work there. */
export async function openWorkplace(host: IntegrationHost, path: string | null): Promise<RunWorkplace | undefined> {
  if (path === null || !host.folderAt) return undefined
  const folder = await openWorkFolder((resolved) => host.folderAt!(resolved), path)
  return { folder, commands: createCommandSessions(host.processes, { now: host.now }) }
}
