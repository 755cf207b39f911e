import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentSlots } from '../executor/agent-lanes.ts'
import type { Attention } from '../executor/attention.ts'
import type { Limits } from '../executor/limits.ts'
import type { RunInputs } from '../executor/prepare-run-input.ts'
import type { RunStreams } from '../executor/run-streams.ts'
import type { RunTools } from '../executor/run-tools.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Teams } from '../registry/teams.ts'
import type { Store } from '../store/open-store.ts'
import type { PostChain } from './append-post.ts'

/** Everything that driving exchanges takes. */
export interface ExchangeParts {
  readonly store: Store
  readonly record: RecordChange
  readonly runtimes: RuntimeRegistry
  readonly attention: Attention
  readonly limits: Limits
  readonly streams: RunStreams
  readonly log: Log
  /** This server, over all its restarts. */
  readonly instance: string
  readonly slots: AgentSlots
  readonly teams: Pick<Teams, 'get'>
  readonly inputs: RunInputs
  readonly tools?: RunTools
  readonly leaseMs?: number
  readonly renewMs?: number
  readonly pollMs?: number
  readonly now?: () => number
  /** Calls a function again and again, until the answer is called. */
  readonly every?: (ms: number, work: () => void) => () => void
  /** Told of each step of a turn, before it is taken. A test dies here. */
  readonly onStep?: (step: TurnStep) => void
}

export type TurnStep =
  | 'plan'
  | 'gather'
  | 'open-tools'
  | 'open-turn'
  | 'start'
  | 'delivered'
  | 'close-turn'
  | 'over'
  | 'recover'

/** What the parts of one server share while exchanges run. */
export interface DriverParts extends ExchangeParts {
  readonly now: () => number
  /** The chains that runs under way here speak in. */
  readonly chains: Map<string, PostChain>
}
