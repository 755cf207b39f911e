import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandOutput, createCommandOutput } from './command-output.ts'
import type { DeathWatch } from './death-watch.ts'
import { signalGroup, stopGroup } from './stop-group.ts'

/** Exactly what runs. Made once, shown to whoever is asked, and never changed between. */
export interface CommandRequest {
  readonly shell: string
  readonly command: string
  /** Where it runs, for people; `at` is the folder that was checked, whatever stands at `cwd` by then. */
  readonly cwd: string
  readonly at: string
  readonly env: Readonly<Record<string, string>>
  /** 0 = none. */
  readonly timeoutMs: number
  /** Whether something may be written to it; otherwise its input is empty. */
  readonly input: boolean
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** It was stopped by `stop`. */
  readonly stopped: boolean
  /** It could not be started, in words. */
  readonly failure: string | null
}

export interface CommandSession {
  readonly id: string
  readonly request: CommandRequest
  readonly startedAt: number
  readonly pid: number | null
  readonly output: CommandOutput
  /** null while it runs. */
  end(): CommandEnd | null
  endedAt(): number | null
  /** Settles when its shell and all that prints for it are done. */
  readonly ended: Promise<CommandEnd>
  /** Settles when its shell is done; something it started may still run and print. */
  readonly shellEnded: Promise<void>
  /** False when it takes no input (any more). */
  write(data: string): Promise<boolean>
  closeInput(): void
  interrupt(): void
  /** Ends all of it; settles when it is gone. */
  stop(graceMs?: number): Promise<void>
  /** Settles when nothing it left behind runs any more. */
  readonly cleaned: Promise<void>
}

// It waits for one line before it becomes the command: by then the watcher knows of it, or the server is gone.
const GATE = 'IFS= read -r go <&3 || exit 125; exec 3<&-; exec "$0" -c "$1"'

export function startCommand(
  id: string,
  request: CommandRequest,
  watch: DeathWatch,
  now: () => number,
): CommandSession {
  const output = createCommandOutput()
  const startedAt = now()
  const child = spawn('/bin/sh', ['-c', GATE, request.shell, request.command], {
    cwd: request.at,
    env: { ...request.env, PWD: request.cwd },
    detached: true,
    stdio: [request.input ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const pid = child.pid ?? null
  const { failure, shellEnded, closed } = endsOf(child)
  const cause = { timedOut: false, stopped: false }
  let end: CommandEnd | null = null
  let endedAt: number | null = null

  const stop = async (graceMs?: number) => {
    if (end !== null || pid === null) return
    cause.stopped = true
    await stopGroup(pid, graceMs)
    // What left the group may still hold the pipes; nobody waits for that.
    await Promise.race([closed, delay(200, undefined, { ref: false })])
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const begun = pid === null ? Promise.resolve() : openGate(child, pid, watch, stop)
  const timer = begun.then(() =>
    startTimer(request.timeoutMs, () => {
      cause.timedOut = end === null
      void stop()
    }),
  )
  const ended = closed.then(() => {
    void timer.then(clearTimeout)
    output.end()
    endedAt = now()
    const stopped = cause.stopped && !cause.timedOut
    end = { exitCode: child.exitCode, signal: child.signalCode, timedOut: cause.timedOut, stopped, failure: failure() }
    return end
  })
  const cleaned = ended.then(async () => {
    if (pid === null) return
    await stopGroup(pid)
    watch.remove(pid)
  })
  readOutput(child, output)
  return {
    ...{ id, request, startedAt, pid, output, ended, shellEnded, stop, cleaned },
    end: () => end,
    endedAt: () => endedAt,
    write: (data) => writeInput(child.stdin, data),
    closeInput: () => child.stdin?.end(),
    interrupt: () => void (end === null && pid !== null && signalGroup(pid, 'SIGINT')),
  }
}

/** The two ends of a command: its shell's, and that of all that prints for it. */
function endsOf(child: ChildProcess) {
  let failure: string | null = null
  child.once('error', (error: NodeJS.ErrnoException) => {
    failure = `The command could not be started (${error.code ?? 'unknown'}).`
  })
  const shellEnded = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => child.pid === undefined && resolve())
  })
  return { failure: () => failure, shellEnded, closed }
}

async function openGate(child: ChildProcess, pid: number, watch: DeathWatch, stop: () => Promise<void>): Promise<void> {
  const gate = child.stdio[3] as Writable
  gate.on('error', () => {})
  try {
    await watch.add(pid)
    gate.end('go\n')
  } catch {
    await stop()
  }
}

function readOutput(child: ChildProcess, output: CommandOutput): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => output.push(stream, chunk))
    child[stream]?.on('error', () => {})
  }
  child.stdin?.on('error', () => {})
}

function writeInput(stdin: Writable | null, data: string): Promise<boolean> {
  if (stdin === null || !stdin.writable) return Promise.resolve(false)
  return new Promise((resolve) => {
    // A command that reads nothing leaves the pipe full: the write is taken, and waits there.
    if (stdin.write(data, (error) => resolve(!error)) === false) resolve(true)
  })
}

/** Timers hold at most 31 bits. */
function startTimer(timeoutMs: number, act: () => void): NodeJS.Timeout | undefined {
  if (timeoutMs <= 0) return undefined
  const timer = setTimeout(act, Math.min(timeoutMs, 2 ** 31 - 1))
  timer.unref()
  return timer
}
