import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { childEnvironment } from './child-environment.ts'
import { createDeathWatch } from './death-watch.ts'
import type { ProcessEnd, Processes, ProcessOptions, RunningProcess } from './process.ts'
import { endTree, signalGroup, treeOf } from './process-tree.ts'

/** Marks every untrusted child, and shows a program that it runs for an agent. */
const MARK_NAME = 'CLAWBOO_EXEC'
/** The wait for output that arrives after the end of the tree. */
const PIPE_MS = 1000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The child waits for one line before it becomes the program, so that the death watch knows its group by then. */
const GATE = 'IFS= read -r go <&3 || exit 125; exec 3<&-; exec "$@"'

const server = randomBytes(12).toString('hex')
const deathWatch = createDeathWatch(`${MARK_NAME}=${server}`)
let started = 0

/**
 * Starts a child; the server starts children nowhere else. The tree of the child ends with the program, with `stop` and
 * with the server.
 */
export function startProcess(options: ProcessOptions): RunningProcess {
  const mark = options.trusted ? null : `${MARK_NAME}=${server}${++started}`
  const child = spawnChild(options, mark)
  const { exit, close } = eventsOf(child)
  const pid = child.pid ?? null
  const tree = pid === null ? null : treeOf(pid, mark)
  const cause: Cause = { timedOut: false, stopped: false, failure: null }
  let hasEnded = false
  child.on('error', (error: NodeJS.ErrnoException) => {
    cause.failure = error.code ?? 'unknown'
  })

  const endNow = (): ProcessEnd => ({
    exitCode: pid === null ? null : child.exitCode,
    signal: child.signalCode,
    timedOut: cause.timedOut,
    stopped: cause.stopped && !cause.timedOut,
    failure: cause.failure,
  })
  const stop = async (graceMs?: number) => {
    if (tree === null || hasEnded) return
    cause.stopped = true
    await endTree(tree, graceMs)
    await closeOutput(child, close)
  }
  const watching = watchOver(child, options).catch(() => {
    cause.failure = 'no death watch'
    return stop()
  })
  const timer = watching.then(() =>
    startTimer(options.timeoutMs, () => {
      cause.timedOut = !hasEnded
      void stop()
    }),
  )
  const exited = exit.then(endNow)
  const ended = close.then(() => {
    hasEnded = true
    void timer.then(clearTimeout)
    return endNow()
  })
  const gone = ended.then(async () => {
    if (tree === null) return
    await endTree(tree)
    deathWatch.remove(tree.group)
  })
  connect(child, options)
  return {
    pid,
    exited,
    ended,
    gone,
    stop,
    write: (data) => writeInput(child.stdin, data),
    closeInput: () => child.stdin?.end(),
    interrupt() {
      if (tree !== null && !hasEnded) signalGroup(tree.group, 'SIGINT')
    },
  }
}

interface Cause {
  timedOut: boolean
  stopped: boolean
  failure: string | null
}

function spawnChild({ program, args, cwd, env, stdin, trusted }: ProcessOptions, mark: string | null): ChildProcess {
  const input = stdin === 'none' ? 'ignore' : 'pipe'
  const common: SpawnOptions = { cwd, detached: true }
  if (trusted) return spawn(program, args, { ...common, env, stdio: [input, 'pipe', 'pipe'] })
  return spawn('/bin/sh', ['-c', GATE, 'sh', program, ...args], {
    ...common,
    env: { ...env, [MARK_NAME]: mark!.slice(MARK_NAME.length + 1) },
    stdio: [input, 'pipe', 'pipe', 'pipe'],
  })
}

function eventsOf(child: ChildProcess) {
  const first = (event: 'exit' | 'close') =>
    new Promise<void>((resolve) => {
      child.once(event, () => resolve())
      // A child that could not be started has no other event.
      child.once('error', () => child.pid === undefined && resolve())
    })
  return { exit: first('exit'), close: first('close') }
}

/**
 * Resolves when the program may run. Rejects, and the program never runs, when no death watch would end it after a
 * crash.
 */
async function watchOver(child: ChildProcess, options: ProcessOptions): Promise<void> {
  if (child.pid === undefined) return
  if (options.trusted) {
    // Not awaited, so that the program starts faster. If the watch fails, the program still ends on its own.
    deathWatch.add(child.pid, 'finish').catch(() => {})
    return
  }
  const gate = child.stdio[3] as Writable
  // The child may be stopped before it reads the line.
  gate.on('error', () => {})
  await deathWatch.add(child.pid, 'kill')
  gate.end('go\n')
}

function connect(child: ChildProcess, { stdin, onOutput }: ProcessOptions): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => onOutput(stream, chunk))
    // A broken pipe ends the output, and `close` reports that.
    child[stream]?.on('error', () => {})
  }
  // The program may end before it has read everything; `write` reports that.
  child.stdin?.on('error', () => {})
  if (typeof stdin === 'object') child.stdin?.end(stdin)
}

/** Closes the pipes, because an escaped process may still have them open and `close` would wait for it. */
async function closeOutput(child: ChildProcess, close: Promise<void>): Promise<void> {
  await Promise.race([close, delay(PIPE_MS, undefined, { ref: false })])
  child.stdout?.destroy()
  child.stderr?.destroy()
}

function writeInput(stdin: Writable | null, data: string): Promise<boolean> {
  if (stdin === null || !stdin.writable) return Promise.resolve(false)
  return new Promise((resolve) => {
    // A full pipe counts as written: otherwise a program that does not read would block the caller.
    if (stdin.write(data, (error) => resolve(!error)) === false) resolve(true)
  })
}

function startTimer(timeoutMs: number, act: () => void): NodeJS.Timeout | undefined {
  if (timeoutMs <= 0) return undefined
  return setTimeout(act, Math.min(timeoutMs, LONGEST_TIMER_MS)).unref()
}

/** Creates the process functions for integrations, which use this folder only through their host. */
export function createProcesses(serverEnvironment: Readonly<Record<string, string | undefined>>): Processes {
  return {
    start: startProcess,
    environment: (own) => childEnvironment(serverEnvironment, own),
  }
}
