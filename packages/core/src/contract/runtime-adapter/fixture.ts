import type { Capabilities, RuntimeAdapter } from '../../executor/index.ts'
import type { AgentRecord } from '../../registry/index.ts'
import type { RuntimeScript } from './script.ts'

/** A runtime under test, with functions that control its model. */
export interface RuntimeAdapterFixture {
  readonly adapter: RuntimeAdapter
  /** The claims in the runtime's descriptor. */
  readonly claims: Capabilities
  /** The capabilities agreed for `agent`. Default: all claims. */
  readonly agreed?: Capabilities
  /** Needs no approval for the `callTool` steps, but needs one for the `askApproval` steps. */
  readonly agent: AgentRecord
  readonly otherAgent: AgentRecord
  /**
   * Returns a prompt that makes the model play this script. The prompt contains the script, so the model needs no
   * state.
   */
  prompt(script: RuntimeScript): string
  /** Lets every held tool finish, including tools that start later. */
  releaseTools(): Promise<void>
  /** Whether the runtime knows the price of the scripted model. */
  readonly priceKnown: boolean
  /** How long a test waits for one event. Default: 20 seconds. For programs that start slowly. */
  readonly patienceMs?: number
  /** The number of random timings, for runtimes whose runs take seconds. Default: the number that all others use. */
  readonly randomTimings?: number
  /** A second scripted model, by the name that `setModel` and cost events use. */
  readonly otherModel?: string
  /** A line in the SOUL.md of `agent`. Required when `readsFiles` is claimed. */
  readonly soulLine?: string
  /** The number of model calls so far. */
  modelCalls?(): number
  /** Every text that a model received so far, in order, including repeated texts. */
  seenByModel?(): readonly string[]
  /** Reads a file in the workspace of `agent`; null = no file. Absent when the agent has no workspace. */
  ownFile?(name: string): Promise<string | null>
  /** Kills the runtime's process. Absent when the runtime has no process of its own. */
  crash?(): Promise<void>
  /**
   * Opens a second adapter over the same durable state, like another host. The first adapter has crashed or was
   * disposed, unless its runs can outlive it.
   */
  reopen?(): Promise<RuntimeAdapter>
  dispose?(): Promise<void>
}
