import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { TeamRecord } from '@clawboo/core/registry'
import type { Repositories, Store } from '../store/open-store.ts'
import type { TeamProject } from '../store/repositories/agents/teams-repository.ts'
import type { RecordChange } from './record-change.ts'
import { MEMBERSHIP_LOCK } from './team-membership.ts'

/** The folder where a team's tasks edit files, with its current kind. */
interface KnownProject extends TeamProject {
  readonly kind: 'repository' | 'folder' | 'missing' | 'none'
}

export interface TeamProjects {
  /** Throws `team_not_found`. */
  get(teamId: string): Promise<KnownProject>
  /** Throws `team_not_found`, and `path_refused` for a folder that cannot be a project. */
  set(teamId: string, project: TeamProject): Promise<KnownProject>
}

export function createTeamProjects(dependencies: {
  readonly store: Store
  readonly record: RecordChange
  /** The folder with Clawboo's own files: not allowed as a project, except below its `projects` folder. */
  readonly home: string
  readonly now?: () => number
}): TeamProjects {
  const { store, record, home, now = Date.now } = dependencies
  const get: TeamProjects['get'] = async (teamId) => {
    await wantTeam(store, teamId)
    const project = (await store.teams.project(teamId))!
    return { ...project, kind: await kindOf(project.folder) }
  }
  return {
    get,
    async set(teamId, { folder, checkCommand }) {
      await wantTeam(store, teamId)
      if (folder !== null) await refuseFolder(folder, home)
      await record({ action: 'team.set-project', subject: teamId, lock: MEMBERSHIP_LOCK }, async (tx) => {
        await wantTeam(tx, teamId)
        const before = (await tx.teams.project(teamId))!
        if (before.folder === folder && before.checkCommand === checkCommand) return { result: undefined, events: [] }
        await tx.teams.setProject(teamId, { folder, checkCommand }, now())
        const team = await wantTeam(tx, teamId)
        return { result: undefined, events: [{ type: 'team-upserted', team }], detail: { folder, checkCommand } }
      })
      return get(teamId)
    },
  }
}

async function wantTeam(repositories: Pick<Repositories, 'teams'>, teamId: string): Promise<TeamRecord> {
  const team = await repositories.teams.get(teamId)
  if (!team) throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
  return team
}

/** Compares real paths: a link must not lead a task into the home folder. */
async function refuseFolder(folder: string, home: string): Promise<void> {
  if (!isAbsolute(folder)) throw refused(folder, 'it is not an absolute path')
  // An unreadable folder is shown as missing: no task can use it.
  const stats = await stat(folder).catch(() => null)
  if (!stats) throw refused(folder, 'it does not exist or cannot be read')
  if (!stats.isDirectory()) throw refused(folder, 'it is not a folder')
  const [project, own] = [await realpath(folder), await realpath(home)]
  const isOwn = holds(own, project) && !isBelow(join(own, 'projects'), project)
  if (isOwn) throw refused(folder, 'it is inside the folder where Clawboo stores its own files')
  if (holds(project, own)) throw refused(folder, 'it contains the folder where Clawboo stores its own files')
}

function holds(outer: string, inner: string): boolean {
  const way = relative(outer, inner)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

function isBelow(outer: string, inner: string): boolean {
  return inner !== outer && holds(outer, inner)
}

/** Finds the kind of a folder for display only; the details of the repository are read when a task starts. */
async function kindOf(folder: string | null): Promise<KnownProject['kind']> {
  if (folder === null) return 'none'
  // An unreadable folder is shown as missing: no task can use it.
  const stats = await stat(folder).catch(() => null)
  if (!stats?.isDirectory()) return 'missing'
  for (let place = folder; ; place = dirname(place)) {
    const found = await lstat(join(place, '.git')).catch(() => null)
    if (found) return 'repository'
    if (dirname(place) === place) return 'folder'
  }
}

function refused(folder: string, why: string): ClawbooError {
  const path = folder.slice(0, 200)
  return new ClawbooError('path_refused', `the project folder "${path}" is refused: ${why}`, { details: { path } })
}
