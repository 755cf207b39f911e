import { DatabaseSync } from 'node:sqlite'
import { TASK_PRIORITIES, TASK_STATUSES } from '@clawboo/core/board'
import { createBoardView } from '../packages/server/src/board/board-view.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { AGENT, makeBoardFile, TEAM } from './board-file.ts'
import type { Benchmark } from './harness.ts'

const TASKS = 10_000
const READS = 5

const CARD = `id, team_id, title, status, position, priority, assignee_kind, assignee_id, parent_id, depth, source_kind,
  source_id, source_run_id, source_post_id, changes_files, attempts, cost_nanos, changed_at, failed_at, cancelled_with,
  reason, open_blockers, attempt_id, attended_at, created_at, updated_at, started_at, ended_at`

/** A board of 10,000 tasks as JSON, against one bare query per column whose rows are serialised unchanged. */
export const boardRead10k: Benchmark = {
  name: 'board-read-10k',
  unit: 'reads/s',
  bound: { atLeast: 0.5 },
  async open() {
    const place = await makeBoardFile()
    const store = await openStore({ sqliteFile: place.file })
    await fill(store)
    const view = createBoardView(store)
    const bare = new DatabaseSync(place.file, { readOnly: true })
    const query = bare.prepare(
      `SELECT ${CARD} FROM tasks WHERE team_id = ? AND status = ? ORDER BY position, id LIMIT ?`,
    )
    const timed = async (read: () => unknown[] | Promise<unknown[]>) => {
      const start = performance.now()
      for (let n = 0; n < READS; n++) {
        const columns = (await read()) as { readonly length: number }[]
        if (JSON.stringify(columns).length < TASKS) throw new Error('tasks are missing')
      }
      return READS / ((performance.now() - start) / 1000)
    }
    return {
      value: () => timed(() => view.board(TEAM, { limitPerColumn: TASKS })),
      baseline: () => timed(() => TASK_STATUSES.map((status) => query.all(TEAM, status, TASKS + 1))),
      async close() {
        bare.close()
        await store.close()
        await place.remove()
      },
    }
  },
}

async function fill(store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const at = 1_750_000_000_000
  await store.transaction(async (tx) => {
    for (let n = 0; n < TASKS; n++) {
      await tx.tasks.insert({
        id: `task-${n.toString().padStart(6, '0')}`,
        teamId: TEAM,
        title: `Keep the lights on in room ${n}`,
        body: 'What is asked for, in a few lines. '.repeat(20),
        status: TASK_STATUSES[n % TASK_STATUSES.length]!,
        priority: TASK_PRIORITIES[n % TASK_PRIORITIES.length]!,
        assignee: n % 3 === 0 ? null : AGENT,
        parentId: null,
        depth: 0,
        source: { kind: 'operator', id: null, runId: null, postId: null },
        changesFiles: n % 2 === 0,
        attempts: n % 4,
        costUsd: n % 5 === 0 ? null : 0.0123,
        changedAt: at,
        failedAt: null,
        cancelledWith: null,
        reason: n % 7 > 4 ? 'It waits for a decision.' : null,
        openBlockers: 0,
        attemptId: null,
        position: n * 1024,
        attendedAt: null,
        createdAt: at + n,
        updatedAt: at + n,
        startedAt: at,
        endedAt: null,
      })
    }
  })
}
