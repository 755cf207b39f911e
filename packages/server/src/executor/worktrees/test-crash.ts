import { spawnSync } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import { testProcesses } from '../../processes/test-processes.ts'
import type { Worktree } from './worktree.ts'
import { openWorktrees } from './worktrees.ts'

interface Order {
  readonly root: string
  readonly call: 'prepare' | 'merge' | 'cleanUp'
  readonly worktree: Worktree
  readonly project: string
  /** The number or the name of a step. */
  readonly dieAt: number | string
}

/**
 * Runs one call in a separate process that kills itself before the given step. Resolves to false when the call ended
 * first.
 */
export function crashAt(order: Order): boolean {
  const args = [import.meta.filename, JSON.stringify(order)]
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (child.signal === 'SIGKILL') return true
  if (child.status !== 0) throw new Error(child.stderr)
  return false
}

if (process.argv[1] === import.meta.filename) {
  // A killed process would not store its compile cache for the next one.
  flushCompileCache()
  const { root, call, worktree, project, dieAt } = JSON.parse(process.argv[2]!) as Order
  let step = 0
  const onStep = (name: string) => {
    if (step === dieAt || name === dieAt) process.kill(process.pid, 'SIGKILL')
    step += 1
  }
  const worktrees = await openWorktrees({
    root,
    path: process.env.PATH!,
    confinement: testProcesses().confinement,
    onStep,
  })
  const { taskId, attempt } = worktree
  if (call === 'prepare') await worktrees.prepareWorktree({ taskId, attempt, project, ownFolder: root })
  else if (call === 'cleanUp') await worktrees.cleanUp(worktree)
  else await worktrees.merge(worktree, { author: { name: 'Ada', email: 'ada@example.test' }, message: 'The task' })
}
