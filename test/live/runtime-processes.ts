import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The processes of one runtime: its process group, and on Linux all processes with its home. */
export interface RuntimeProcesses {
  readonly group: number
  readonly home: string
}

/** Repeats `kill -9` until no process is left, because a process may start another while it is killed. */
export async function endRuntime(processes: RuntimeProcesses): Promise<void> {
  // Bounded, because a group of unreaped zombies accepts signals as if it were alive.
  for (let time = 0; time < 500 && killAll(processes) > 0; time++)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Starts a process that ends a runtime and removes its home when this process is gone, even after a `kill -9`. */
export function watchForOrphans({ group, home }: RuntimeProcesses): { dismiss(): Promise<void> } {
  const program = join(import.meta.dirname, 'orphan-watch.ts')
  const watch: ChildProcess = spawn(process.execPath, [program, String(group), home], {
    // In its own group, so that Ctrl-C in the terminal does not end the watch first.
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

/** Returns the number of living processes. */
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

/** Tools may lead their own groups and outlive their parent, but they keep its home. */
function livingIn(home: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      } catch {
        // Already gone, or owned by another user.
        return false
      }
    })
    .map(Number)
}
