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
  const isRunning = () => {
    const { firstPid } = status()
    return readProcess(wrapper) !== null || (firstPid !== null && readProcess(firstPid) !== null)
  }
  const signalInside = (name: NodeJS.Signals) => {
    for (const [{ pid }, distance] of descendantsOf(wrapper, listProcesses())) if (distance > 1) signal(pid, name)
  }
  return {
    async end(graceMs = GRACE_MS) {
      if (!isRunning()) return
      signalInside('SIGTERM')
      await settled(isRunning, graceMs)
      if (!isRunning()) return
      signalGroup(wrapper, 'SIGKILL')
      await settled(isRunning, KILL_WAIT_MS)
    },
    interrupt: () => signalInside('SIGINT'),
  }
}

/** Waits until the condition is false, or the time is over. */
async function settled(isRunning: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let pause = 2; isRunning() && performance.now() < giveUpAt; pause = Math.min(pause * 2, 50)) {
    await delay(Math.min(pause, Math.max(1, giveUpAt - performance.now())))
  }
}
