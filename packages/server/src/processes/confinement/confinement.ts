/**
 * A confiner starts a program so that it reaches a named part of the machine and nothing else. The child
 * - sees the folders in `Reach`, the programs of the system, and an empty home and temporary folder of its own;
 * - sees no other process, and everything that it started ends with it, with `kill -9` of the server too;
 * - has no network except through the proxy that `Reach` names;
 * - has no privilege that its user has elsewhere;
 * - is bounded in memory, processes, processor time and disk.
 * An implementation that cannot keep one of these promises on this machine reports that it is not available.
 */
export interface Confiner {
  readonly id: string
  /** Returns the command line that starts `program` inside. Throws nothing; a missing folder fails the start. */
  wrap(command: InsideCommand, reach: BoundedReach): WrappedCommand
}

export interface InsideCommand {
  readonly program: string
  readonly args: readonly string[]
  /** The absolute path of the folder that it starts in. It must be reachable. */
  readonly cwd: string
  /** The search path of the command. Its folders that are not part of the system become readable. */
  readonly path: string
}

/** The part of the machine that one child reaches, besides the programs of the system. */
export interface Reach {
  /** Absolute paths of folders that the child may change. */
  readonly writable: readonly string[]
  readonly readable: readonly Readable[]
  /** The socket of a proxy that lets named hosts through; null = no network at all. */
  readonly proxySocket: string | null
}

/** The reach of a child, with its bounds. */
export interface BoundedReach extends Reach {
  readonly limits: Limits
}

/** A file or folder at an absolute path. `from` is another file or folder to show in its place. */
export interface Readable {
  readonly path: string
  readonly from?: string
}

/** Bounds for one child with everything that it starts. */
export interface Limits {
  readonly memoryBytes: number
  readonly processes: number
  /** Of one process. */
  readonly cpuSeconds: number
  /** The size of one file. */
  readonly fileBytes: number
  /** The contents of its home and of its temporary folder, each. */
  readonly temporaryBytes: number
  /** The space that it leaves free on the disk of its writable folders. */
  readonly freeBytes: number
}

export interface WrappedCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Variables that must have these values inside. */
  readonly env: Readonly<Record<string, string>>
  /** Reads what the wrapper has written so far to descriptor 3. */
  readStatus(status: string): WrapperStatus
}

export interface WrapperStatus {
  /** The first process inside. Nothing inside runs once it has ended. null until it is known. */
  readonly firstPid: number | null
  /** False when the program was not started, for example because a folder of its reach does not exist. */
  readonly hasEnded: boolean
}

export type LimitName = 'memory' | 'processes' | 'disk'

/** A confined child: the way to confine it, and its reach. */
export interface Confined {
  readonly confiner: Confiner
  readonly reach: BoundedReach
}

/** Whether children can be confined on this machine. */
export type Confinement =
  | {
      readonly isOn: true
      /** Adds the bounds of this machine. */
      confine(reach: Reach): Confined
    }
  | {
      readonly isOn: false
      /** One sentence for a person. */
      readonly reason: string
      /** The command that makes confinement possible; null when none is known. */
      readonly fix: string | null
    }
