import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const KILL_GRACE_MS = 5000

/** Ends a process group: asks, waits, then forces. Resolves when nothing of it is left, or nothing more can be done. */
export async function stopGroup(group: number, graceMs = KILL_GRACE_MS): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return
  if (await isGone(group, graceMs)) return
  signalGroup(group, 'SIGKILL')
  await isGone(group, 1000)
}

/** False when there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and 1 would mean this process's own group, or every process there is.
  if (!Number.isSafeInteger(group) || group <= 1) throw new TypeError(`not a process group: ${group}`)
  try {
    process.kill(-group, signal)
    return true
  } catch {
    return false
  }
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    if (!signalGroup(group, 0) || (await onlyZombies(group))) return true
    if (performance.now() >= until) return false
    await delay(Math.min(pause, Math.max(1, until - performance.now())))
  }
}

/** Where nobody collects the dead, as in many containers, they keep a group in being for ever. */
async function onlyZombies(group: number): Promise<boolean> {
  const entries = await readdir('/proc').catch(() => [])
  let members = 0
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // The name in parentheses may hold anything, parentheses too.
    const [state, , pgrp] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (Number(pgrp) !== group) continue
    if (state !== 'Z' && state !== 'X') return false
    members++
  }
  return members > 0
}
