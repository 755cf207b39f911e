import type { ParticipantKind, RuntimeId } from '../registry/index.ts'
import type { Capabilities } from './capabilities.ts'

/** Everything that a page, a command or the planner needs before the runtime is loaded. */
export interface RuntimeDescriptor {
  readonly id: RuntimeId
  readonly label: string
  readonly description: string
  readonly participantKind: ParticipantKind
  /** The most that this runtime can do. Less may be agreed for one agent: see `RuntimeAdapter.capabilities`. */
  readonly claims: Capabilities
  /** The text beside the connection form. Absent when there is nothing to connect. */
  readonly connecting?: ConnectingWords
  /** The settings that a person chooses for its agents, besides the model and the budget. Absent: none. */
  readonly choices?: readonly RunChoice[]
  /** How a person attaches our MCP servers. Absent when this is not needed. */
  attachMcp?(servers: readonly McpServerAddress[]): McpAttachment
}

/** One of a few values, stored in an agent's `execConfig`. */
export interface RunChoice {
  /** The path in `execConfig`; a dot separates nested fields. */
  readonly key: string
  readonly label: string
  /** The default: one of the values, or a separate label. */
  readonly unset: ChoiceWords | string
  readonly values: readonly (ChoiceWords & {
    readonly value: string
    /** Shown before a person chooses this value. */
    readonly warning?: string
  })[]
}

export interface ChoiceWords {
  readonly label: string
  readonly about: string
}

export interface ConnectingWords {
  /** Such as `Server address`. */
  readonly addressLabel: string
  readonly addressExample: string
  /** Such as `Access token`. */
  readonly secretLabel: string
  /** Where a person finds the secret, and how the upstream is started. */
  readonly help: string
}

/** The address of one of our MCP servers, for another program. */
export interface McpServerAddress {
  readonly name: string
  readonly url: string
  /** A command that speaks MCP over stdin and stdout. */
  readonly command: readonly string[]
}

/** A text to paste, and where to paste it. */
export interface McpAttachment {
  readonly where: string
  readonly language: 'json' | 'toml' | 'yaml' | 'shell'
  readonly text: string
}
