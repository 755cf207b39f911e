/** Everything about a child before it starts. Arguments are visible to every user of the machine: no prompt, no secret. */
export interface ProcessOptions {
  /** An absolute path, or a name on the PATH of `env`. */
  readonly program: string
  readonly args: readonly string[]
  /** The folder that it starts in. */
  readonly cwd: string
  /** Its whole environment, made by `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>
  /** `open` leaves the input to `write` and `closeInput`; a buffer is the whole input. */
  readonly stdin: 'none' | 'open' | Buffer
  /** Receives all output as it arrives. The receiver bounds the part that it keeps. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
  /** The tree is ended after this time. 0 = never. */
  readonly timeoutMs: number
  /**
   * For a program that the server chose, that leaves nothing behind and that must not be interrupted while it writes,
   * such as git. Starts faster, and has ten seconds to finish when the server dies.
   */
  readonly trusted?: boolean
}

export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** `stop` was called before the end. */
  readonly stopped: boolean
  /** The error code of a program that could not be started, such as ENOENT. */
  readonly failure: string | null
}

export interface RunningProcess {
  /** Also the id of its process group. null when it could not be started. */
  readonly pid: number | null
  /** Resolves when the program has ended; its children may still run and print. Never rejects. */
  readonly exited: Promise<ProcessEnd>
  /** Resolves when the program has ended and its output is complete. Never rejects. */
  readonly ended: Promise<ProcessEnd>
  /** Resolves after `ended`, when nothing that the program started runs any more. Never rejects. */
  readonly gone: Promise<void>
  /** False when the program takes no input, or no more of it. */
  write(data: string): Promise<boolean>
  closeInput(): void
  interrupt(): void
  /** Sends TERM to the whole tree, then KILL after `graceMs` (5 s). Resolves when the tree is gone. */
  stop(graceMs?: number): Promise<void>
}

/** Starts children. */
export interface Processes {
  start(options: ProcessOptions): RunningProcess
  /** The whole environment of a child: the variables that it may inherit from the server, and `own`, which wins. */
  environment(own?: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}
