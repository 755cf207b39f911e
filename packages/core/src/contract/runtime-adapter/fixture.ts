import type { Capabilities, RuntimeAdapter } from '../../executor/index.ts'
import type { AgentRecord } from '../../registry/index.ts'
import type { RuntimeScript } from './script.ts'

/** A runtime under test, with the strings that move its model. */
export interface RuntimeAdapterFixture {
  readonly adapter: RuntimeAdapter
  /** The claims of its descriptor. */
  readonly claims: Capabilities
  /** What the program agrees to for `agent`: all of the claims unless given. */
  readonly agreed?: Capabilities
  /** May do what `callTool` stands for without asking anybody, and must ask for what `askApproval` stands for. */
  readonly agent: AgentRecord
  readonly otherAgent: AgentRecord
  /** Words that make the model play this script. The script travels in the prompt, so the model keeps no state. */
  prompt(script: RuntimeScript): string
  /** Lets every held tool come to its end, those that are yet to start too. */
  releaseTools(): Promise<void>
  /** Whether the runtime knows a price for the model that plays the scripts. */
  readonly priceKnown: boolean
  /** How long a test waits for one event, where 20 seconds are too short: for a program that starts slowly. */
  readonly patienceMs?: number
  /** How many random timings are tried, where a run takes seconds; a number for all unless given. */
  readonly randomTimings?: number
  /** A second model that plays scripts, by the name `setModel` and the cost events use. */
  readonly otherModel?: string
  /** A line of the SOUL.md of `agent`. Needed where `readsFiles` is claimed. */
  readonly soulLine?: string
  /** How often any model was called so far. */
  modelCalls?(): number
  /** Every text any model received so far, in order; what is sent again stands there again. */
  seenByModel?(): readonly string[]
  /** What a file in the own workspace of `agent` holds; null = there is none. Absent when it has no workspace. */
  ownFile?(name: string): Promise<string | null>
  /** Kills the runtime's process. Absent when it has none of its own. */
  crash?(): Promise<void>
  /** A new adapter over the same durable state, as another host has it. The first is crashed or disposed unless its runs can outlive it. */
  reopen?(): Promise<RuntimeAdapter>
  dispose?(): Promise<void>
}
