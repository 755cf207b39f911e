import type { AgentSource, RuntimeId, SourceRecords } from '@clawboo/core/registry'

/** All that an integration may touch of the server. */
export interface IntegrationHost {
  /** The registry of record, bound to this integration. */
  readonly records: SourceRecords
  /** This integration's own folder in the home, by path parts that stay inside it. */
  readonly files: HostFiles
  now(): number
}

/** Plain files below one folder. Refuses paths and links that lead out of it. */
export interface HostFiles {
  /** null when there is no such file. */
  read(path: string): Promise<Buffer | null>
  /** Swaps the whole file in. */
  write(path: string, content: string | Buffer): Promise<void>
  /** Removes a file, or a folder and all below it; nothing happens when it is not there. */
  remove(path: string): Promise<void>
}

/** What a page or a command may know about a runtime. */
export interface RuntimeDescriptor {
  readonly id: RuntimeId
  readonly label: string
  readonly description: string
  readonly participantKind: 'agent' | 'human'
}

/** Everything known about one outside agent system, as a bundle of roles. */
export interface Integration {
  readonly id: RuntimeId
  readonly descriptors: readonly RuntimeDescriptor[]
  createAgentSource?(host: IntegrationHost): AgentSource
}
