import type { AttemptOutcome, AttemptReport, BoardTask } from '@clawboo/core/board'
import { type TestRecords, useRecords } from '../executor/test-records.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import type { StoredAttempt } from '../store/repositories/board/attempts-repository.ts'
import { sql } from '../store/sql.ts'
import type { TestDatabase } from '../store/test-stores.ts'
import { type AgentActor, type BoardLine, createBoardLines } from './board-change.ts'
import { type BoardView, createBoardView } from './board-view.ts'
import { type Claims, createClaims } from './claims.ts'
import type { NewTask } from './create-task.ts'
import { createReports, type Reports } from './reports.ts'
import { createTasks, type Tasks } from './tasks.ts'

export const OPERATOR = { kind: 'operator' } as const
export const ADA = { kind: 'person', id: 'p-ada', name: 'Ada' } as const
export const HOST = { kind: 'host' } as const

/** A team with two agents on a real database. */
export interface TestBoard {
  readonly records: TestRecords
  readonly tasks: Tasks
  readonly claims: Claims
  readonly reports: Reports
  readonly view: BoardView
  readonly lines: BoardLine[]
  readonly teamId: string
  readonly agentId: string
  /** A strictly increasing clock. */
  readonly now: () => number
  get(id: string): Promise<BoardTask>
  /** Creates a task in To do, assigned to the team's agent by default. */
  make(task?: Partial<NewTask>): Promise<BoardTask>
  claim(taskId: string): Promise<StoredAttempt>
  report(attempt: StoredAttempt, outcome: AttemptOutcome, more?: Partial<AttemptReport>): AttemptReport
  runOut(attemptId: string): Promise<void>
  agent(overrides?: Partial<AgentActor>): AgentActor
}

let teams = 0

/** Returns a function that creates a separate board per test; all tests of a file share one database. */
export function useBoards(createDatabase: () => Promise<TestDatabase>): () => Promise<TestBoard> {
  const opened = useRecords(createDatabase)
  return () => openBoard(opened()[0]!)
}

async function openBoard(records: TestRecords): Promise<TestBoard> {
  const { store, record, log } = records
  const teamId = `team-${++teams}`
  const agentId = `agent-${teams}`
  await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
  await store.agents.insert(newAgent(agentId, { teamId }))
  await store.agents.insert(newAgent(`${agentId}-b`, { teamId }))
  let at = Date.now()
  const now = () => ++at
  const lines: BoardLine[] = []
  const boardLines = createBoardLines(log)
  boardLines.onLine((line) => {
    lines.push(line)
  })
  const board = { store, record, lines: boardLines, now }
  const tasks = createTasks(board)
  const claims = createClaims({ ...board, instance: 'home-1' })
  const by = { kind: 'agent', id: agentId } as const
  return {
    records,
    tasks,
    claims,
    reports: createReports(board),
    view: createBoardView(store),
    lines,
    teamId,
    agentId,
    now,
    get: async (id) => (await store.tasks.get(id))!,
    make: (task) => tasks.create({ teamId, title: 'Draft', assignee: by, ...task }, OPERATOR),
    async claim(taskId) {
      const outcome = await claims.claim({ taskId, expects: by, by, runtime: 'runtime-a' })
      if (!outcome.claimed) throw new Error(`not claimed: ${outcome.reason}`)
      return outcome.attempt
    },
    report: (attempt, outcome, more = {}) => ({
      attemptId: attempt.id,
      attempt: attempt.number,
      outcome,
      reason: outcome === 'completed' ? null : 'It is so.',
      costUsd: null,
      at: now(),
      ...more,
    }),
    async runOut(attemptId) {
      await store.db.run(sql`UPDATE attempts SET lease_until = now_ms() - 1 WHERE id = ${attemptId}`)
    },
    agent: (overrides = {}) => ({
      kind: 'agent',
      id: agentId,
      teamId,
      runId: `run-${teamId}`,
      taskId: null,
      ...overrides,
    }),
  }
}
