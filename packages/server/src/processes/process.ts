import type { Confined, Confinement, LimitName } from './confinement/confinement.ts'

/** The options of a child. Arguments are visible to every user of the machine: pass no prompt and no secret. */
export interface ProcessOptions {
  /** An absolute path, or a name on the PATH of `env`. */
  readonly program: string
  readonly args: readonly string[]
  /** The working directory of the child. */
  readonly cwd: string
  /** The whole environment of the child, as returned by `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>
  /** `open` leaves the input to `write` and `closeInput`; a buffer is the whole input. */
  readonly stdin: 'none' | 'open' | Buffer
  /** Receives all output as it arrives, and must limit the part that it keeps. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
  /** The tree is ended after this time. 0 = never. */
  readonly timeoutMs: number
  readonly boundary: Boundary
}

/**
 * The part of the machine that a child can reach. Everything that a model's words can start is confined wherever the
 * machine allows it.
 * - `trusted`: a program that the server chose, that leaves no processes behind and that must not be interrupted while
 *   it writes, such as git. It starts faster, and has ten seconds to finish when the server dies.
 * - `unconfined`: any program that a person has approved, on a machine that cannot confine it.
 */
export type Boundary = 'trusted' | 'unconfined' | Confined

export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** `stop` was called before the end. */
  readonly stopped: boolean
  /** The error code of a program that could not be started, such as ENOENT. */
  readonly failure: string | null
  /** The bound at which a confined tree was ended. */
  readonly limit: LimitName | null
}

export interface RunningProcess {
  /** The process id, which is also the id of the process group. null when the program could not be started. */
  readonly pid: number | null
  /** Resolves when the program has ended; its children may still run and print. Never rejects. */
  readonly exited: Promise<ProcessEnd>
  /** Resolves when the program has ended and its output is complete. Never rejects. */
  readonly ended: Promise<ProcessEnd>
  /** Resolves after `ended`, when no process that the program started is running. Never rejects. */
  readonly gone: Promise<void>
  /** Resolves to false when the program accepts no input, or no more of it. */
  write(data: string): Promise<boolean>
  closeInput(): void
  interrupt(): void
  /** Sends TERM to the whole tree, then KILL after `graceMs` (5 s). Resolves when the tree is gone. */
  stop(graceMs?: number): Promise<void>
}

/** Starts children. */
export interface Processes {
  /** Whether this machine can confine children. Found out at the first call. */
  confinement(): Promise<Confinement>
  start(options: ProcessOptions): RunningProcess
  /** The whole environment of a child: the variables that it may inherit from the server, and `own`, which takes precedence. */
  environment(own?: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}
