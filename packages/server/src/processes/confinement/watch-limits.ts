import { statfsSync } from 'node:fs'
import { descendantsOf, listProcesses, readProcess } from '../process-tree.ts'
import type { BoundedReach, LimitName } from './confinement.ts'

/** Often enough that a tree which doubles its processes with every step cannot stop the machine. */
const EVERY_MS = 500

interface Watched {
  readonly wrapper: number
  readonly reach: BoundedReach
  readonly end: () => void
  reached: LimitName | null
}

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | null = null

/**
 * Ends a confined tree that has more memory or processes than its bounds, or that leaves too little space on the disk.
 * The kernel bounds each process; this bounds all of them together, on machines without control groups too.
 */
export function watchLimits(wrapper: number, reach: BoundedReach, end: () => void) {
  const entry: Watched = { wrapper, reach, end, reached: null }
  watched.add(entry)
  timer ??= setInterval(look, EVERY_MS).unref()
  return {
    reached: (): LimitName | null => entry.reached,
    stop() {
      watched.delete(entry)
      if (watched.size > 0 || timer === null) return
      clearInterval(timer)
      timer = null
    },
  }
}

function look(): void {
  const running = listProcesses()
  for (const entry of watched) {
    if (entry.reached !== null) continue
    const tree = [...descendantsOf(entry.wrapper, running).keys()]
    const pages = tree.reduce((sum, { residentPages }) => sum + residentPages, 0)
    entry.reached = limitOf(entry.reach, tree.length, pages * pageBytes())
    if (entry.reached !== null) entry.end()
  }
}

function limitOf({ limits, writable }: BoundedReach, processes: number, memoryBytes: number): LimitName | null {
  if (processes > limits.processes) return 'processes'
  if (memoryBytes > limits.memoryBytes) return 'memory'
  return writable.some((folder) => freeBytes(folder) < limits.freeBytes) ? 'disk' : null
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // The folder was removed; then nothing can be written to it.
    return Number.POSITIVE_INFINITY
  }
}

let knownPageBytes = 0

/** Node does not tell the size of a page, so this compares two figures about this process. */
function pageBytes(): number {
  if (knownPageBytes === 0) {
    const pages = readProcess(process.pid)?.residentPages ?? 0
    const measured = pages > 0 ? process.memoryUsage.rss() / pages : 4096
    knownPageBytes = 2 ** Math.round(Math.log2(measured))
  }
  return knownPageBytes
}
