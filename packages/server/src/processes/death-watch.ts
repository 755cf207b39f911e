import { type ChildProcess, spawn } from 'node:child_process'

/** How long the watcher keeps running without groups: git is called many times in a row. */
const IDLE_MS = 2000
const REPLACE_MS = 100

/**
 * Ends process groups when this process dies, however it dies. A small shell reads a pipe from this process: when the
 * pipe closes, the shell kills every group that was added and not removed, and every marked process. The shell runs
 * only while there are groups. The line `.` dismisses it, because it must not kill marked children that belong to its
 * successor.
 */
export interface DeathWatch {
  /** Resolves once the group cannot outlive this process. With `finish` the group first has ten seconds to end. */
  add(group: number, how: 'kill' | 'finish'): Promise<void>
  remove(group: number): void
}

// Uses only features of every /bin/sh. It runs in its own session, so it survives the Ctrl-C that ends the server. $1
// is the mark that all untrusted processes have, even after they leave their group. `finish` groups get TERM after 10 s
// and KILL after 15 s.
const WATCHER = `
groups=' '
while IFS=' ' read -r act group; do
  [ "$act" = . ] && exit
  case "$groups" in
    *" $group "*) [ "$act" = + ] || groups="\${groups%% $group *} \${groups#* $group }" ;;
    *) [ "$act" = - ] || groups="$groups$group " ;;
  esac
done
signal() { kill -s "$1" -- "-$2" 2>/dev/null || kill "-$1" "-$2" 2>/dev/null; }
for group in $groups; do case $group in k*) signal KILL "\${group#k}" ;; esac; done
for round in 1 2 3 4 5; do
  marked=$(grep -lsz "^$1" /proc/[0-9]*/environ)
  [ -n "$marked" ] || break
  for file in $marked; do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null; done
done
second=0
while [ $second -lt 16 ]; do
  rest=' '
  for group in $groups; do
    case $group in f*) ;; *) continue ;; esac
    signal 0 "\${group#f}" && rest="$rest$group "
    case $second in 10) signal TERM "\${group#f}" ;; 15) signal KILL "\${group#f}" ;; esac
  done
  groups=$rest
  [ "$groups" = ' ' ] && exit
  sleep 1
  second=$((second + 1))
done
`

/** `mark` is the beginning of the environment variable that all untrusted children of this process have. */
export function createDeathWatch(mark: string): DeathWatch {
  /** The entry that the watcher has for each group: `k` or `f` for kill or finish, then the id. */
  const groups = new Map<number, string>()
  let watcher: ChildProcess | null = null
  let idle: NodeJS.Timeout | undefined

  const start = (): ChildProcess => {
    const child = startWatcher(mark)
    const forget = () => {
      if (watcher === child) watcher = null
    }
    child.once('error', forget)
    child.once('exit', () => {
      forget()
      // The watcher was killed. Without the pause, a shell that cannot run would be started in an endless loop.
      if (groups.size > 0) setTimeout(replace, REPLACE_MS).unref()
    })
    child.stdin!.on('error', forget)
    for (const group of groups.values()) child.stdin!.write(`+ ${group}\n`)
    return child
  }
  const replace = () => {
    if (groups.size > 0) watcher ??= start()
  }
  const dismiss = () => {
    watcher?.stdin?.end('.\n')
    watcher = null
  }

  return {
    async add(group, how) {
      const entry = `${how === 'kill' ? 'k' : 'f'}${group}`
      groups.set(group, entry)
      clearTimeout(idle)
      // Tries twice, because the watcher may have been killed.
      for (let tries = 0; tries < 2; tries++) {
        watcher ??= start()
        const current = watcher
        if (await writeLine(current, `+ ${entry}`)) return
        if (watcher === current) watcher = null
      }
      throw new Error('the process that ends children after a crash cannot be started')
    },
    remove(group) {
      const entry = groups.get(group)
      if (entry === undefined) return
      groups.delete(group)
      if (watcher !== null) void writeLine(watcher, `- ${entry}`)
      if (groups.size > 0) return
      clearTimeout(idle)
      idle = setTimeout(dismiss, IDLE_MS)
      idle.unref()
    },
  }
}

/** Starts the watcher. Neither the watcher nor its pipe keeps this process alive. */
function startWatcher(mark: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', WATCHER, 'watcher', mark], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  return child
}

/** Resolves to false when the watcher no longer reads. */
function writeLine(watcher: ChildProcess, line: string): Promise<boolean> {
  return new Promise((resolve) => {
    watcher.stdin!.write(`${line}\n`, (error) => resolve(!error))
  })
}
