import { setTimeout as delay } from 'node:timers/promises'
import type { WrapperStatus } from './confinement/confinement.ts'
import { descendantsOf, listProcesses, type ProcessTree, readProcess, signal, signalGroup } from './process-tree.ts'

const GRACE_MS = 5000
const KILL_WAIT_MS = 5000

/**
 * The tree of a confined child: the wrapper, the first process of its namespace, and the program with everything that it
 * started. The kernel ends all of it with the first process, and the first process ends with the wrapper, or with its
 * group while the wrapper is still setting it up.
 */
export function confinedTreeOf(wrapper: number, status: () => WrapperStatus): ProcessTree {
  const isWrapperRunning = sameProcess(() => wrapper)
  const isFirstRunning = sameProcess(() => status().firstPid)
  // Noted now, while the id cannot belong to another process.
  isWrapperRunning()
  const isRunning = () => isWrapperRunning() || isFirstRunning()
  const signalInside = (name: NodeJS.Signals) => {
    for (const [{ pid }, distance] of descendantsOf(wrapper, listProcesses())) if (distance > 1) signal(pid, name)
  }
  return {
    async end(graceMs = GRACE_MS) {
      if (!isRunning()) return
      if (isWrapperRunning()) signalInside('SIGTERM')
      await settled(isRunning, graceMs)
      if (isWrapperRunning()) signalGroup(wrapper, 'SIGKILL')
      await settled(isRunning, KILL_WAIT_MS)
    },
    interrupt: () => void (isWrapperRunning() && signalInside('SIGINT')),
  }
}

/** Whether the process that first had this id still runs. The system gives the id of an ended process to another one. */
function sameProcess(pidOf: () => number | null): () => boolean {
  let startedAt: number | null = null
  return () => {
    const pid = pidOf()
    const found = pid === null ? null : readProcess(pid)
    if (found === null) return false
    startedAt ??= found.startedAt
    return found.startedAt === startedAt
  }
}

/** Waits until the condition is false, or the time is over. */
async function settled(isRunning: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let pause = 2; isRunning() && performance.now() < giveUpAt; pause = Math.min(pause * 2, 50)) {
    await delay(Math.min(pause, Math.max(1, giveUpAt - performance.now())))
  }
}
