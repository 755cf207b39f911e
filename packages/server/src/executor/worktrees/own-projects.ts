import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import type { Worktrees } from './worktrees.ts'

export interface OwnProject {
  readonly folder: string
  /** Removes the project with everything in it. */
  discard(): Promise<void>
}

/** Creates projects in the home, one per team; null = this machine cannot create one. */
export function ownProjects({
  worktrees,
  folder: projects,
  log,
}: {
  readonly worktrees: Pick<Worktrees, 'makeProject'>
  /** `<home>/projects`. */
  readonly folder: string
  readonly log: Log
}): (teamId: string, files: Readonly<Record<string, string>>) => Promise<OwnProject | null> {
  return async (teamId, files) => {
    const made = await worktrees.makeProject(join(projects, teamId), files)
    if (made.ok) return { folder: made.folder, discard: () => rm(made.folder, { recursive: true, force: true }) }
    log.warn('a project could not be created', { teamId, message: made.message })
    return null
  }
}
