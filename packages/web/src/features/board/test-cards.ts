import { TASK_STATUSES, type TaskCard, type TaskStatus } from '@clawboo/core/board'
import type { Board, BoardColumn } from '../../api/board.ts'

/** A card for a test; the number in its id is its place. */
export function card(id: string, more: Partial<TaskCard> = {}): TaskCard {
  return {
    id,
    teamId: 'team',
    title: `Task ${id}`,
    status: 'todo',
    priority: 'normal',
    assignee: null,
    parentId: null,
    depth: 0,
    source: { kind: 'operator', id: null, runId: null, postId: null },
    changesFiles: false,
    attempts: 0,
    costUsd: null,
    changedAt: null,
    failedAt: null,
    cancelledWith: null,
    reason: null,
    openBlockers: 0,
    attemptId: null,
    position: Number(id.replace(/\D/g, '')) * 10,
    attendedAt: null,
    createdAt: 0,
    updatedAt: 0,
    startedAt: null,
    endedAt: null,
    ...more,
  }
}

export function columnsOf(cards: readonly TaskCard[], more: readonly TaskStatus[] = []): BoardColumn[] {
  return TASK_STATUSES.map((status) => ({
    status,
    tasks: cards.filter((one) => one.status === status),
    hasMore: more.includes(status),
  }))
}

export function boardOf(cards: readonly TaskCard[], more: readonly TaskStatus[] = []): Board {
  return { columns: columnsOf(cards, more), waits: [], working: [] }
}
