import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessEnd, ProcessOptions, RunningProcess } from './process.ts'
import { type StartedChild, startChild } from './start-child.ts'

/** The wait for output that arrives after the end of the tree. */
const PIPE_MS = 1000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Starts a child; the server starts children nowhere else. The tree of the child ends with the program, with `stop` and
 * with the server.
 */
export function startProcess(options: ProcessOptions): RunningProcess {
  const started = startChild(options)
  const { child, tree } = started
  const { exit, close } = eventsOf(child)
  const pid = child.pid ?? null
  const cause: Cause = { timedOut: false, stopped: false, failure: null }
  let hasEnded = false
  child.on('error', (error: NodeJS.ErrnoException) => {
    cause.failure = error.code ?? 'unknown'
  })

  const endNow = () => endOf(started, cause)
  const stop = async (graceMs?: number) => {
    if (tree === null || hasEnded) return
    cause.stopped = true
    await tree.end(graceMs)
    await closeOutput(child, close)
  }
  const onTimeout = () => {
    cause.timedOut = !hasEnded
    void stop()
  }
  const onUnwatched = () => {
    cause.failure = 'no death watch'
    return stop()
  }
  const timer = started.ready.catch(onUnwatched).then(() => startTimer(options.timeoutMs, onTimeout))
  const exited = exit.then(endNow)
  const ended = close.then(() => {
    hasEnded = true
    void timer.then(clearTimeout)
    return endNow()
  })
  const gone = ended.then(async () => {
    await tree?.end()
    started.forget()
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
      if (!hasEnded) tree?.interrupt()
    },
  }
}

interface Cause {
  timedOut: boolean
  stopped: boolean
  failure: string | null
}

function endOf({ child, limit, problem }: StartedChild, { timedOut, stopped, failure }: Cause): ProcessEnd {
  const reached = limit()
  return {
    exitCode: child.pid === undefined ? null : child.exitCode,
    signal: child.signalCode,
    timedOut,
    stopped: stopped && !timedOut,
    failure: failure ?? (stopped || reached !== null ? null : problem()),
    limit: reached,
  }
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
