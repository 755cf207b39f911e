import { randomBytes } from 'node:crypto'
import type { Boundary, HostProcesses, ProcessEnd, RunningProcess } from '../../host.ts'
import { type CommandOutput, createCommandOutput } from './command-output.ts'

const FINISHED_KEPT_MS = 30 * 60 * 1000
const MAX_RUNNING = 32
const MAX_FINISHED = 100

export type CommandSessions = ReturnType<typeof createCommandSessions>

/** The commands of one agent: all that run, and for a while those that have finished. No command outlives the server. */
export function createCommandSessions(processes: HostProcesses, now: () => number = Date.now) {
  const live = new Set<CommandSession>()
  const kept = new Map<string, CommandSession>()
  let disposed = false

  const sweep = () => {
    const finished = [...kept.values()].filter((session) => session.endedAt() !== null)
    const surplus = finished.length - MAX_FINISHED
    for (const [index, session] of finished.entries()) {
      if (index < surplus || now() - session.endedAt()! >= FINISHED_KEPT_MS) kept.delete(session.id)
    }
  }
  return {
    /** Returns null when too many commands are running. */
    start(request: CommandRequest): CommandSession | null {
      if (disposed || live.size >= MAX_RUNNING) return null
      const session = startCommand(randomBytes(4).toString('hex'), request, processes, now)
      live.add(session)
      void session.gone.finally(() => live.delete(session))
      return session
    },
    /** The kept sessions, newest first. */
    list(): readonly CommandSession[] {
      sweep()
      return [...kept.values()].reverse()
    },
    get(id: string): CommandSession | null {
      sweep()
      return kept.get(id) ?? null
    },
    /** Keeps a session for `list` and `get`: its command runs in the background. */
    keep(session: CommandSession): void {
      kept.set(session.id, session)
      sweep()
      // The agent may never call `list` again.
      void session.ended.then(sweep)
    },
    /** Drops a finished session; false when its command still runs. */
    forget(id: string): boolean {
      if (kept.get(id)?.end() === null) return false
      return kept.delete(id)
    },
    /** Ends all commands and everything that they started. */
    async dispose(graceMs?: number): Promise<void> {
      disposed = true
      await Promise.all([...live].map((session) => session.stop(graceMs)))
      await Promise.all([...live].map((session) => session.gone))
    },
  }
}

/** The exact command to run. It is created once, shown to the person who approves it, and never changed. */
export interface CommandRequest {
  readonly shell: string
  readonly command: string
  /** The folder as shown to people. */
  readonly cwd: string
  /** The path of the folder that was checked. Another folder may have its name by now. */
  readonly at: string
  readonly boundary: Boundary
  readonly env: Readonly<Record<string, string>>
  /** 0 = never. */
  readonly timeoutMs: number
  /** Whether the agent may write to its input, which is empty otherwise. */
  readonly input: boolean
}

/** `failure` is set when the shell could not be started. */
export type CommandEnd = ProcessEnd

export interface CommandSession extends RunningProcess {
  readonly id: string
  readonly request: CommandRequest
  readonly startedAt: number
  readonly output: CommandOutput
  /** null while it runs. */
  end(): CommandEnd | null
  endedAt(): number | null
}

function startCommand(
  id: string,
  request: CommandRequest,
  processes: HostProcesses,
  now: () => number,
): CommandSession {
  const output = createCommandOutput()
  const startedAt = now()
  const running = processes.start({
    program: request.shell,
    args: ['-c', request.command],
    // Inside its boundary a command can only reach its own folders, whatever the name leads to by now.
    cwd: typeof request.boundary === 'string' ? request.at : request.cwd,
    boundary: request.boundary,
    env: { ...request.env, PWD: request.cwd },
    stdin: request.input ? 'open' : 'none',
    timeoutMs: request.timeoutMs,
    onOutput: output.push,
  })
  let end: CommandEnd | null = null
  let endedAt: number | null = null
  const ended = running.ended.then((reached) => {
    output.end()
    endedAt = now()
    end = reached
    return reached
  })
  return { ...running, id, request, startedAt, output, end: () => end, endedAt: () => endedAt, ended }
}
