import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Whether a process still does something: one that ended and was not collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Waits for something that must come; the test's own time limit is what fails. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await delay(20)
}
