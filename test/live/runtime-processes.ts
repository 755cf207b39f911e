import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The processes of one runtime: the group it leads, and on Linux whoever was given its home. */
export interface RuntimeProcesses {
  readonly group: number
  readonly home: string
}

/** `kill -9` for all of them, again until none is left: one may start another while it is killed. */
export async function endRuntime(processes: RuntimeProcesses): Promise<void> {
  // Not for ever: where nobody reaps the dead, a group of them takes signals as if it lived.
  for (let time = 0; time < 500 && killAll(processes) > 0; time++)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A process that ends a runtime and removes its home as soon as this process is gone, also after a `kill -9`. */
export function watchForOrphans({ group, home }: RuntimeProcesses): { dismiss(): Promise<void> } {
  const program = join(import.meta.dirname, 'orphan-watch.ts')
  const watch: ChildProcess = spawn(process.execPath, [program, String(group), home], {
    // A group of its own: Ctrl-C in the terminal must not end the watch before those it watches over.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => watch.once('exit', () => resolve()))
  watch.stdin!.on('error', () => {})
  return {
    async dismiss() {
      watch.stdin!.write('dismissed\n')
      await gone
    },
  }
}

/** How many were still there. */
function killAll({ group, home }: RuntimeProcesses): number {
  const found = livingIn(home).filter((pid) => kill(pid))
  return found.length + (kill(-group) ? 1 : 0)
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch (error) {
    // macOS answers EPERM for a group that has only zombies left.
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ESRCH' || code === 'EPERM') return false
    throw error
  }
}

/** Tools may lead groups of their own and outlive who started them, but they keep its home. */
function livingIn(home: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      } catch {
        // Gone, or of another user.
        return false
      }
    })
    .map(Number)
}
