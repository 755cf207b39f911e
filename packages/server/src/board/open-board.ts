import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import { createBoardLines } from './board-change.ts'
import { createBoardView } from './board-view.ts'
import { createClaims } from './claims.ts'
import { createReports } from './reports.ts'
import { createRunVerdicts } from './run-verdicts.ts'
import { createTasks } from './tasks.ts'

export type Board = ReturnType<typeof openBoard>

/** All work of all teams: the tasks, who claimed them, and what was reported. */
export function openBoard(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly instance: string
}) {
  const { store, record, log, instance } = options
  const lines = createBoardLines(log)
  const shared = { store, record, lines }
  return {
    tasks: createTasks(shared),
    claims: createClaims({ ...shared, instance }),
    reports: createReports(shared),
    view: createBoardView(store),
    lines,
    /** The members of a team, who can be assigned its tasks. */
    members: membersOf(store),
    verdicts: createRunVerdicts(),
  }
}

/** Lists the possible assignees on a team's board; null when the team does not exist. */
export function membersOf(store: Store) {
  return async (teamId: string) => {
    if (!(await store.teams.get(teamId))) return null
    const members = await store.agents.namesInTeam(teamId)
    return members.map(({ id, displayName, participantKind }) => ({
      kind: participantKind === 'human' ? ('person' as const) : ('agent' as const),
      id,
      name: displayName,
    }))
  }
}
