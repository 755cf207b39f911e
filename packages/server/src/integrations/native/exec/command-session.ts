import type { HostProcesses, ProcessEnd, RunningProcess } from '../../host.ts'
import { type CommandOutput, createCommandOutput } from './command-output.ts'

/** Exactly what runs. Made once, shown to the person who is asked, and never changed afterwards. */
export interface CommandRequest {
  readonly shell: string
  readonly command: string
  /** The folder as people read it. */
  readonly cwd: string
  /** The same folder as it was checked. Another folder may have its name by now. */
  readonly at: string
  readonly env: Readonly<Record<string, string>>
  /** 0 = never. */
  readonly timeoutMs: number
  /** Whether the agent may write to its input, which is empty otherwise. */
  readonly input: boolean
}

/** `failure` is set when the shell could not be started. */
export type CommandEnd = ProcessEnd

export interface CommandSession
  extends Pick<RunningProcess, 'pid' | 'write' | 'closeInput' | 'interrupt' | 'stop' | 'ended'> {
  readonly id: string
  readonly request: CommandRequest
  readonly startedAt: number
  readonly output: CommandOutput
  /** null while it runs. */
  end(): CommandEnd | null
  endedAt(): number | null
  /** Resolves when the shell has ended; a process that it started may still run and print. */
  readonly shellEnded: Promise<unknown>
  /** Resolves when nothing that the command left behind runs any more. */
  readonly cleaned: Promise<void>
}

export function startCommand(
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
    cwd: request.at,
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
  return {
    id,
    request,
    startedAt,
    pid: running.pid,
    output,
    end: () => end,
    endedAt: () => endedAt,
    ended,
    shellEnded: running.exited,
    write: running.write,
    closeInput: running.closeInput,
    interrupt: running.interrupt,
    stop: running.stop,
    cleaned: running.gone,
  }
}
