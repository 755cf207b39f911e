import type { Task } from './task.ts'

/** A complete task, for tests. */
export function testTask(overrides: Partial<Task> = {}): Task {
  return {
    id: 't1',
    teamId: 'team',
    title: 'Draft',
    body: '',
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
    createdAt: 0,
    updatedAt: 0,
    startedAt: null,
    endedAt: null,
    ...overrides,
  }
}
