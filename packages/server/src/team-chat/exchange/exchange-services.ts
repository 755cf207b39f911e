import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentSlots } from '../../executor/conversations/agent-lanes.ts'
import type { RunService, RunStep } from '../../executor/run/run-service.ts'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Teams } from '../../registry/teams.ts'
import type { Store } from '../../store/open-store.ts'
import type { PostChain } from '../posts/append-post.ts'

export interface ExchangeOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly runtimes: RuntimeRegistry
  readonly runs: RunService
  readonly log: Log
  /** Identifies this server across restarts. */
  readonly instance: string
  readonly slots: AgentSlots
  readonly teams: Pick<Teams, 'get'>
  readonly leaseMs?: number
  readonly renewMs?: number
  readonly pollMs?: number
  readonly now?: () => number
  /** Calls a function at an interval. Returns a function that stops it. */
  readonly every?: (ms: number, work: () => void) => () => void
  /** The chain of each active turn on this server, by run. */
  readonly chains?: Map<string, PostChain>
  /** Called before each step of a turn. A crash test stops the server here. */
  readonly onStep?: (step: TurnStep) => void
}

type TurnStep = RunStep | 'plan' | 'gather' | 'delivered' | 'over' | 'recover'

/** The services that all exchanges of one server share. */
export interface ExchangeServices extends ExchangeOptions {
  readonly now: () => number
  readonly chains: Map<string, PostChain>
}
