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

export type { ProcessEnd, Processes as HostProcesses, RunningProcess } from '../processes/process.ts'

/** All that an integration may touch of the server. */
export interface IntegrationHost {
  /** The registry of record, bound to the agents of this integration's upstream. */
  readonly records: SourceRecords
  /** This integration's own folder in the home, by path parts that stay inside it. */
  readonly files: HostFiles
  /** The same folder as an absolute path, for programs that work in it. */
  readonly homeFolder: string
  /** A folder elsewhere, for a run that is given one to work in, by an absolute path without `..`. Absent: none. */
  folderAt?(path: string): HostFolder
  /** Kept in the vault under names of this integration. */
  readonly secrets: HostSecrets
  /** What a person may change while the server runs, under keys of this integration. */
  readonly settings: HostSettings
  readonly machine: HostMachine
  /** The only way to start a program. */
  readonly processes: Processes
  /** Where people are asked to do something. Absent: nobody can be asked. */
  readonly desk?: HostDesk
  /** Where a person is asked about runs that this server did not begin. Absent: nobody can be asked. */
  readonly approvals?: HostApprovals
  now(): number
}

/** What is put before a person stays there until it is settled or withdrawn. */
export interface HostDesk {
  /** Kept before it resolves. `told` gets every answer in its order, perhaps the first one before that. */
  ask(work: DeskWork, told: (answer: DeskAnswer) => void): Promise<{ withdraw(): Promise<void> }>
}

export interface DeskWork {
  readonly person: AgentRecord
  readonly runId: string
  readonly text: string
}

/** `done` and `refuse` are the last ones. */
export interface DeskAnswer {
  readonly kind: 'accept' | 'answer' | 'done' | 'refuse'
  /** `answer` and `refuse` have one. */
  readonly text: string
}

/** What agents want to do in runs that this server did not begin, before a person. It outlives the server. */
export interface HostApprovals {
  /** From here on exactly these are asked. Resolves to those of them that a person has answered already. */
  keep(asked: readonly AskedApproval[]): Promise<readonly GivenApproval[]>
  /** Told once for every answer that is given from here on to what was kept here, on whichever server. */
  onAnswer(listener: (given: GivenApproval) => void): () => void
}

/** Where the server runs. */
export interface HostMachine {
  /** The server's own environment. Nothing of it goes to a child that was not named. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home folder of the person whose account the server has. */
  readonly userHome: string
  /** Such as `Europe/Zurich`. */
  readonly timeZone: string
}

/** A secret goes to the one request or process that needs it, and nowhere else. */
export interface HostSecrets {
  /** null when there is none. Throws `secret_unreadable`. */
  read(name: string): Promise<string | null>
  store(name: string, secret: string): Promise<void>
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>
}

/** JSON values by key. */
export interface HostSettings {
  /** undefined when it was never set. The caller checks the shape. */
  get<T>(key: string): Promise<T | undefined>
  set(key: string, value: unknown): Promise<void>
  /** Nothing happens when it is not set. */
  remove(key: string): Promise<void>
  /** All whose keys begin so. */
  removePrefix(prefix: string): Promise<void>
}

/** Plain files below one folder. Refuses paths and links that lead out of it. */
export interface HostFiles {
  /** null when there is no such file. */
  read(path: string): Promise<Buffer | null>
  /** Swaps the whole file in. */
  write(path: string, content: string | Buffer): Promise<void>
  /** Removes a file, or a folder and all below it; nothing happens when it is not there. */
  remove(path: string): Promise<void>
  /** One folder of it, for paths that a program at work names. */
  folder(path: string): HostFolder
}

/**
 * One folder. Paths are relative to it. Links are never followed, and a file with a second hard link is refused; a link
 * that is put there between a look and an act changes nothing.
 */
export interface HostFolder {
  /** Where it is. */
  readonly path: string
  /** A plain file, open for reading; whoever asked closes it. null when there is none. */
  open(path: string): Promise<FileHandle | null>
  /** Writes the text beside the file. Makes missing folders; keeps the mode of a file that is there. */
  stage(path: string, content: string | Buffer): Promise<StagedFile>
  /** Removes a plain file; false when there is none. */
  remove(path: string): Promise<boolean>
  /** What lies in the folder itself (`''`) or in one below it, at most `limit` of it; null when there is none. */
  list(path: string, limit: number): Promise<WorkspaceListing | null>
  /** The folder itself (`''`) or one below it; null when there is none. */
  enter(path: string): Promise<EnteredFolder | null>
}

/** A text that is on the disk and not yet at its name. Needs one of the two calls. */
export interface StagedFile {
  commit(): Promise<void>
  discard(): Promise<void>
}

/** A folder that is held: moving it, or putting a link in its place, changes nothing for its holder. */
export interface EnteredFolder {
  readonly path: string
  /** What to start a child in. */
  readonly at: string
  close(): Promise<void>
}

/** Everything known about one outside agent system. */
export interface Integration {
  readonly id: RuntimeId
  /** Called once. Opens and loads nothing yet. */
  open(host: IntegrationHost): IntegrationRoles
}

/** What an integration offers the host. Each role is optional, and is loaded by the host when something needs it. */
export interface IntegrationRoles {
  readonly runtimes?: RuntimeCatalogue
  readonly modelProviders?: ModelProvidersDefinition
  /** A system with agents of its own, which the host keeps in the registry. */
  readonly upstream?: UpstreamDefinition
}
