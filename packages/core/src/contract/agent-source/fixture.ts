import type { AgentFileName, AgentSource, UpstreamAgent } from '../../registry/index.ts'

/** A source under test, with the strings that move its upstream. A source that is its own upstream has none. */
export interface AgentSourceFixture {
  readonly source: AgentSource
  readonly upstream?: {
    put(agent: UpstreamAgent): Promise<void>
    remove(sourceAgentId: string): Promise<void>
    disconnect(): Promise<void>
  }
  /** The upstream knows no such files. */
  readonly unsupportedFiles?: readonly AgentFileName[]
  /** The upstream writes these itself when an agent is made. */
  readonly bornWith?: readonly AgentFileName[]
  dispose?(): Promise<void>
}

/** Gives each rule a source of its own. */
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
