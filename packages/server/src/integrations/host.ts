import type { FileHandle } from 'node:fs/promises'
import type {
  AskedApproval,
  GivenApproval,
  ModelProvidersDefinition,
  RuntimeCatalogue,
  WorkspaceListing,
} from '@clawboo/core/executor'
import type { AgentRecord, RuntimeId, SourceRecords, UpstreamDefinition } from '@clawboo/core/registry'
import type { Processes } from '../processes/process.ts'

export type { Readable } from '../processes/confinement/confinement.ts'
export type { Boundary, ProcessEnd, Processes as HostProcesses, RunningProcess } from '../processes/process.ts'

/** The only parts of the server that an integration may use. */
export interface IntegrationHost {
  /** The registry of record, limited to the agents of this integration's upstream. */
  readonly records: SourceRecords
  /** This integration's folder in the home. Paths cannot leave it. */
  readonly files: HostFiles
  /** The same folder as an absolute path, for programs that work in it. */
  readonly homeFolder: string
  /** A folder elsewhere for a run to work in, by an absolute path without `..`. Absent: none. */
  folderAt?(path: string): HostFolder
  /** Stored in the vault under this integration's names. */
  readonly secrets: HostSecrets
  /** Settings that a person may change while the server runs, under this integration's keys. */
  readonly settings: HostSettings
  readonly machine: HostMachine
  /** The only way to start a program. */
  readonly processes: Processes
  /** Assigns work to people. Absent when the host cannot ask people. */
  readonly people?: HostPeople
  /** Asks a person about runs that this server did not start. Absent when the host cannot ask people. */
  readonly approvals?: HostApprovals
  now(): number
}

/** Work for a person. An item stays until it is settled or withdrawn. */
export interface HostPeople {
  /**
   * Resolves after the item is stored. Every answer is passed on in order, possibly the first one before this
   * resolves.
   */
  ask(request: PersonRequest, onAnswer: (answer: PersonAnswer) => void): Promise<{ withdraw(): Promise<void> }>
}

export interface PersonRequest {
  readonly person: AgentRecord
  readonly runId: string
  readonly text: string
}

/** `done` and `refuse` are final. */
export interface PersonAnswer {
  readonly kind: 'accept' | 'answer' | 'done' | 'refuse'
  /** Only `answer` and `refuse` have a text. */
  readonly text: string
}

/** Approvals for runs that this server did not start. They outlive the server. */
export interface HostApprovals {
  /** Replaces the open approvals with exactly this list. Resolves to the ones that a person has already answered. */
  keep(asked: readonly AskedApproval[]): Promise<readonly GivenApproval[]>
  /** Calls the listener once for each new answer to a stored approval, on any server. */
  onAnswer(listener: (answer: GivenApproval) => void): () => void
}

/** The machine on which the server runs. */
export interface HostMachine {
  /** The server's environment. A child process gets only the variables that are named for it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home folder of the account that runs the server. */
  readonly userHome: string
  /** Such as `Europe/Zurich`. */
  readonly timeZone: string
}

/** A secret is sent only to the request or process that needs it. */
export interface HostSecrets {
  /** null when it does not exist. Throws `secret_unreadable`. */
  read(name: string): Promise<string | null>
  store(name: string, secret: string): Promise<void>
  /** Does nothing when it does not exist. */
  remove(name: string): Promise<void>
}

/** JSON values by key. */
export interface HostSettings {
  /** undefined when never set. The caller checks the shape. */
  get<T>(key: string): Promise<T | undefined>
  set(key: string, value: unknown): Promise<void>
  /** Does nothing when the key is not set. */
  remove(key: string): Promise<void>
  /** Removes all keys with this prefix. */
  removePrefix(prefix: string): Promise<void>
}

/** Plain files below one folder. Paths and links that leave it are refused. */
export interface HostFiles {
  /** null when there is no such file. */
  read(path: string): Promise<Buffer | null>
  /** Replaces the whole file atomically. */
  write(path: string, content: string | Buffer): Promise<void>
  /** Removes a file, or a folder with its contents. Does nothing when the path does not exist. */
  remove(path: string): Promise<void>
  /** A subfolder for paths that come from a running program. */
  folder(path: string): HostFolder
}

/**
 * One folder. Paths are relative to it. Links are never followed, and a file with a second hard link is refused. A folder
 * that is swapped for a link in the meantime is not entered; where the kernel lists no open files by number, the swap is
 * detected afterwards.
 */
export interface HostFolder {
  /** The absolute path. */
  readonly path: string
  /** Opens a plain file for reading; the caller closes it. null when it does not exist. */
  open(path: string): Promise<FileHandle | null>
  /**
   * Writes the text to a temporary file beside the target. Creates missing folders and keeps the mode of an existing
   * file.
   */
  stage(path: string, content: string | Buffer): Promise<StagedFile>
  /** Removes a plain file. Returns false when it does not exist. */
  remove(path: string): Promise<boolean>
  /** Lists at most `limit` entries of the folder itself (`''`) or a subfolder; null when it does not exist. */
  list(path: string, limit: number): Promise<WorkspaceListing | null>
  /** Opens the folder itself (`''`) or a subfolder; null when it does not exist. */
  enter(path: string): Promise<EnteredFolder | null>
}

/** A text that is on disk but not yet under its final name. Call exactly one of the two methods. */
export interface StagedFile {
  commit(): Promise<void>
  discard(): Promise<void>
}

/** An open folder. It stays the same folder even if it is moved or replaced by a link. */
export interface EnteredFolder {
  readonly path: string
  /** The working directory for a child process. */
  readonly at: string
  close(): Promise<void>
}

/** All the code for one outside agent system. */
export interface Integration {
  readonly id: RuntimeId
  /** Called once. Must not load or connect anything. */
  open(host: IntegrationHost): IntegrationRoles
}

/** The roles that an integration offers. Each is optional and is loaded by the host when needed. */
export interface IntegrationRoles {
  readonly runtimes?: RuntimeCatalogue
  readonly modelProviders?: ModelProvidersDefinition
  /** A system with its own agents, which the host stores in the registry. */
  readonly upstream?: UpstreamDefinition
}
