import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends process groups when this process is gone, however it went. A small shell holds the other end of a pipe: when the
 * pipe closes, it kills every group it was told of and not told to forget. It is there only while there are groups.
 */
export interface DeathWatch {
  /** Resolves once the group will not outlive this process. */
  add(group: number): Promise<void>
  remove(group: number): void
  /** Lets the watcher go. It kills what it still knows of. */
  close(): void
}

// Plain words only: it runs in whatever /bin/sh is. It is its own session, so that a terminal's interrupt spares it.
const WATCHER = `
groups=' '
while IFS=' ' read -r act group; do
  case "$act" in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null || kill -KILL "-$group" 2>/dev/null; done
`

export function createDeathWatch(): DeathWatch {
  const groups = new Set<number>()
  let watcher: ChildProcess | null = null
  /** One change at a time: two first commands must not start two watchers. */
  let last: Promise<unknown> = Promise.resolve()

  const tell = (line: string) =>
    new Promise<boolean>((resolve) => {
      if (watcher === null) resolve(false)
      else watcher.stdin!.write(`${line}\n`, (error) => resolve(!error))
    })
  const start = async (): Promise<void> => {
    const child = spawn('/bin/sh', ['-c', WATCHER], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const gone = () => {
      if (watcher === child) watcher = null
    }
    child.once('error', gone)
    child.once('exit', gone)
    child.stdin!.on('error', gone)
    child.unref()
    // A pipe to a child keeps a program from ending unless it is let go too.
    ;(child.stdin as unknown as { unref(): void }).unref()
    watcher = child
    for (const group of groups) {
      if (!(await tell(`+ ${group}`))) throw new Error('no watcher can be started')
    }
  }

  const letGo = () => {
    watcher?.stdin?.end()
    watcher = null
  }

  return {
    add(group) {
      groups.add(group)
      const turn = last.then(async () => {
        if (!(await tell(`+ ${group}`))) await start()
        // Removed before anybody watched it: then nothing would let the watcher go.
        if (groups.size === 0) letGo()
      })
      last = turn.catch(() => {})
      return turn
    },
    remove(group) {
      if (!groups.delete(group)) return
      void tell(`- ${group}`)
      if (groups.size === 0) letGo()
    },
    close: letGo,
  }
}
