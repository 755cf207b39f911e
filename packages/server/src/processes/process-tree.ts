import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const GRACE_MS = 5000
const KILL_WAIT_MS = 1000

/** A child, and everything that it started. */
export interface ProcessTree {
  /** Sends TERM, then KILL after `graceMs` (5 s). Resolves when no process of the tree runs, or none can be killed. */
  end(graceMs?: number): Promise<void>
  interrupt(): void
}

/** The tree of a child that is not confined. */
interface MarkedTree {
  /** The process group, which has the id of its first process. */
  readonly group: number
  /** `NAME=value` in the environment of the tree, to find a process that left the group. null: no process leaves it. */
  readonly mark: string | null
  /** The start time of its first process. */
  readonly startedAt: number
}

/** Call this right after the start, while the first process can still be read. */
export function treeOf(group: number, mark: string | null): ProcessTree {
  const tree = { group, mark, startedAt: mark === null ? 0 : (readProcess(group)?.startedAt ?? 0) }
  return {
    end: (graceMs = GRACE_MS) => endTree(tree, graceMs),
    interrupt: () => void signalGroup(group, 'SIGINT'),
  }
}

async function endTree(tree: MarkedTree, graceMs: number): Promise<void> {
  const strays = new Map<number, number>()
  // Search before the first signal, which ends parents: some processes are found only through their parent.
  let targets = findTargets(tree, strays)
  for (const target of targets) signal(target, 'SIGTERM')
  const killAt = performance.now() + graceMs
  const giveUpAt = killAt + KILL_WAIT_MS
  for (let pause = 5; targets.length > 0; pause = Math.min(pause * 2, 100)) {
    const now = performance.now()
    if (now >= giveUpAt) return
    // Repeated, because a process may fork between the search and the signal.
    if (now >= killAt) for (const target of targets) signal(target, 'SIGKILL')
    await delay(Math.min(pause, Math.max(1, (now < killAt ? killAt : giveUpAt) - now)))
    targets = findTargets(tree, strays)
  }
}

/** False when there is no such group. */
export function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  // 0 and 1 would signal the group of this process, or every process of the machine.
  if (!Number.isSafeInteger(group) || group <= 1) throw new TypeError(`not a process group: ${group}`)
  return signal(-group, name)
}

export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch {
    // It ended on its own, or belongs to another user.
    return false
  }
}

/**
 * Finds the group, if any process of it runs, and the processes that left it: descendants and marked processes.
 * `strays` stores them with their start time: when its parent ends, a process without the mark cannot be found a second
 * time.
 */
function findTargets({ group, mark, startedAt }: MarkedTree, strays: Map<number, number>): number[] {
  const hasGroup = signalGroup(group, 0)
  if (!hasGroup && mark === null) return []
  // Without /proc, as on macOS, only the group can be found.
  if (!existsSync('/proc/self/stat')) return hasGroup ? [-group] : []
  const running = listProcesses().filter((each) => each.startedAt >= startedAt)
  const found = new Set<number>()
  const add = (pid: number) => {
    if (found.has(pid)) return
    found.add(pid)
    for (const child of running) if (child.parent === pid) add(child.pid)
  }
  for (const each of running) {
    if (each.group === group || strays.get(each.pid) === each.startedAt) add(each.pid)
    else if (mark !== null && hasMark(each.pid, mark)) add(each.pid)
  }
  const targets: number[] = []
  for (const each of running) {
    if (!found.has(each.pid)) continue
    if (each.group === group) {
      if (!targets.includes(-group)) targets.push(-group)
      continue
    }
    strays.set(each.pid, each.startedAt)
    targets.push(each.pid)
  }
  return targets
}

export interface ListedProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The pages of memory that are resident. */
  readonly residentPages: number
  /** In clock ticks since the machine started. */
  readonly startedAt: number
}

/** Every running process that can be read. */
export function listProcesses(): ListedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((each) => each !== null)
}

/** Returns the descendants of a process, with their distance from it. */
export function descendantsOf(pid: number, running: readonly ListedProcess[]): Map<ListedProcess, number> {
  const children = Map.groupBy(running, ({ parent }) => parent)
  const found = new Map<ListedProcess, number>()
  const visit = (parent: number, distance: number) => {
    for (const child of children.get(parent) ?? []) {
      found.set(child, distance)
      visit(child.pid, distance + 1)
    }
  }
  visit(pid, 1)
  return found
}

/** Returns null for a process that is not running or is a zombie: in many containers zombies stay forever. */
export function readProcess(pid: number): ListedProcess | null {
  const stat = readProc(`${pid}/stat`)
  // The program's name is in parentheses and may contain any text, including parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group] = fields
  if ('ZX'.includes(state)) return null
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startedAt: Number(fields[19]),
    residentPages: Number(fields[21]),
  }
}

const hasMark = (pid: number, mark: string) => readProc(`${pid}/environ`).split('\0').includes(mark)

/** Reads synchronously: each read takes microseconds, and a promise for each would take ten times as long. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    // The process has ended, or belongs to another user.
    return ''
  }
}
