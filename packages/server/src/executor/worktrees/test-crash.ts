import { spawnSync } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import type { Workplace } from './workplace.ts'
import { openWorktrees } from './worktrees.ts'

interface Order {
  readonly root: string
  readonly call: 'prepare' | 'merge' | 'cleanUp'
  readonly workplace: Workplace
  readonly project: string
  /** Its number, or the name of the step. */
  readonly dieAt: number | string
}

/** Does one call in a process of its own that is killed before its n-th step. False when it came to its end. */
export function crashAt(order: Order): boolean {
  const args = [import.meta.filename, JSON.stringify(order)]
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (child.signal === 'SIGKILL') return true
  if (child.status !== 0) throw new Error(child.stderr)
  return false
}

if (process.argv[1] === import.meta.filename) {
  // Who is killed keeps nothing for the next one.
  flushCompileCache()
  const { root, call, workplace, project, dieAt } = JSON.parse(process.argv[2]!) as Order
  let step = 0
  const onStep = (name: string) => {
    if (step === dieAt || name === dieAt) process.kill(process.pid, 'SIGKILL')
    step += 1
  }
  const worktrees = await openWorktrees({ root, path: process.env.PATH!, onStep })
  const { taskId, attempt } = workplace
  if (call === 'prepare') await worktrees.prepareWorkplace({ taskId, attempt, project, ownFolder: root })
  else if (call === 'cleanUp') await worktrees.cleanUp(workplace)
  else await worktrees.merge(workplace, { author: { name: 'Ada', email: 'ada@example.test' }, message: 'The task' })
}
