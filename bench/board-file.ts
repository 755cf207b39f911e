import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBoardLines } from '../packages/server/src/board/board-change.ts'
import { createClaims } from '../packages/server/src/board/claims.ts'
import { createReports } from '../packages/server/src/board/reports.ts'
import { createTasks } from '../packages/server/src/board/tasks.ts'
import { createLog } from '../packages/server/src/log.ts'
import { createRecordChange } from '../packages/server/src/registry/record-change.ts'
import { openStore, type Store } from '../packages/server/src/store/open-store.ts'

export const TEAM = 'team-1'
export const AGENT = { kind: 'agent', id: 'agent-1' } as const

/** A database file with one team and one agent. */
export async function makeBoardFile(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-bench-'))
  const file = join(folder, 'clawboo.sqlite')
  const store = await openStore({ sqliteFile: file })
  const at = 1_750_000_000_000
  await store.teams.insert({ id: TEAM, name: 'Bench', createdAt: at })
  const { id } = AGENT
  await store.agents.insert({ id, sourceId: 'bench', sourceAgentId: id, name: 'Boo', runtime: 'bench', createdAt: at })
  await store.close()
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Creates a task, claims it and reports its end, `count` times in sequence. */
export function createCycles(store: Store, log: Parameters<typeof createRecordChange>[1]) {
  const board = { store, record: createRecordChange(store, log), lines: createBoardLines(createLog('silent')) }
  const tasks = createTasks(board)
  const claims = createClaims({ ...board, instance: 'bench' })
  const reports = createReports(board)
  return async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const made = await tasks.create({ teamId: TEAM, title: `Task ${n}`, assignee: AGENT }, { kind: 'operator' })
      const claim = await claims.claim({ taskId: made.id, expects: AGENT, by: AGENT, runtime: 'bench' })
      if (!claim.claimed) throw new Error(claim.reason)
      const { id: attemptId, number: attempt } = claim.attempt
      const report = {
        attemptId,
        attempt,
        outcome: 'completed',
        reason: null,
        costUsd: 0.01,
        at: Date.now(),
      } as const
      const { verdict } = await reports.submit(report)
      if (verdict === 'stale') throw new Error('the report did not count')
    }
  }
}
