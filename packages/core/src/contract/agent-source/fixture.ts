import type { AgentFileName, AgentSource, UpstreamAgent } from '../../registry/index.ts'

/** A source under test, with functions that control its upstream. A source that is its own upstream has none. */
export interface AgentSourceFixture {
  readonly source: AgentSource
  readonly upstream?: {
    put(agent: UpstreamAgent): Promise<void>
    remove(sourceAgentId: string): Promise<void>
    disconnect(): Promise<void>
  }
  /** Files that the upstream does not support. */
  readonly unsupportedFiles?: readonly AgentFileName[]
  /** Files that the upstream writes when an agent is created. */
  readonly bornWith?: readonly AgentFileName[]
  dispose?(): Promise<void>
}

/** Gives each rule its own source. */
export type WithSource = (work: (fixture: AgentSourceFixture) => Promise<void>) => () => Promise<void>

/** An agent as an upstream lists it. */
export const listed = (sourceAgentId: string, more: Partial<UpstreamAgent> = {}): UpstreamAgent => ({
  sourceAgentId,
  name: sourceAgentId,
  emoji: null,
  avatarUrl: null,
  sessionKey: null,
  isDefault: false,
  ...more,
})
