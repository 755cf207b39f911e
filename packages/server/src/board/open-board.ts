import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import { type BoardLines, createBoardLines } from './board-change.ts'
import { type BoardView, createBoardView } from './board-view.ts'
import { type Claims, createClaims } from './claims.ts'
import { createReports, type Reports } from './reports.ts'
import { createRunVerdicts, type RunVerdictBook } from './run-verdicts.ts'
import { createTasks, type Tasks } from './tasks.ts'

/** All work of all teams: the tasks, who claimed them, and what was reported. */
export interface Board {
  readonly tasks: Tasks
  readonly claims: Claims
  readonly reports: Reports
  readonly view: BoardView
  readonly lines: BoardLines
  /** The members of a team, who can be assigned its tasks. */
  readonly members: ReturnType<typeof membersOf>
  readonly verdicts: RunVerdictBook
}

export function openBoard(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly instance: string
}): Board {
  const { store, record, log, instance } = options
  const lines = createBoardLines(log)
  const shared = { store, record, lines }
  return {
    tasks: createTasks(shared),
    claims: createClaims({ ...shared, instance }),
    reports: createReports(shared),
    view: createBoardView(store),
    lines,
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
