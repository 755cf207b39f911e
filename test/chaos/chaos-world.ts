import { catalogueOf } from '@clawboo/core/contract'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { type Attention, createAttention } from '../../packages/server/src/executor/attention.ts'
import type { Conversations } from '../../packages/server/src/executor/conversations.ts'
import { driveConversations } from '../../packages/server/src/executor/drive-conversations.ts'
import { createLimits } from '../../packages/server/src/executor/limits.ts'
import { createRunStreams } from '../../packages/server/src/executor/run-streams.ts'
import { settleDeadRuns } from '../../packages/server/src/executor/settle-dead-runs.ts'
import type { TestRecords } from '../../packages/server/src/executor/test-records.ts'
import { NO_RUN_INPUT } from '../../packages/server/src/executor/test-run-inputs.ts'
import type { RecordChange } from '../../packages/server/src/registry/record-change.ts'
import type { Store } from '../../packages/server/src/store/open-store.ts'
import { HeldSteps } from './held-steps.ts'
import { createLoopRuntime } from './loop-runtime.ts'
import type { Random } from './random.ts'
import type { RoundNotes } from './round-notes.ts'

export interface WorldOptions {
  readonly records: TestRecords
  /** Where its transcripts are. */
  readonly folder: string
  readonly instance: string
  readonly random: Random
  readonly notes: RoundNotes
  readonly holdPercent: number
}

/** One server process, as far as conversations know. */
export interface ChaosWorld {
  readonly conversations: Conversations
  readonly attention: Attention
  readonly steps: HeldSteps
  /** It has taken up what the process before it left. */
  readonly isReady: boolean
  /** `kill -9`. */
  crash(): Promise<void>
  /** After `conversations.close()`. */
  leave(): Promise<void>
}

export function openWorld(options: WorldOptions): ChaosWorld {
  const { records, instance, random, notes } = options
  const steps = new HeldSteps(random, options.holdPercent)
  const store = heldStore(records.store, steps)
  const record: RecordChange = (about, work) => steps.run('record', () => records.record(about, work))
  const runtime = createLoopRuntime({ ...options, steps })
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(runtime))
  const attention = createAttention({ store, record, log: records.log })
  const limits = createLimits(store, record)
  const streams = createRunStreams()
  const parts = {
    store,
    record,
    runtimes,
    attention,
    limits,
    streams,
    log: records.log,
    instance,
    inputs: NO_RUN_INPUT,
  }
  const conversations = driveConversations(parts)
  let isReady = false
  settleDeadRuns(record, instance)
    .then(() => conversations.recover())
    .then(
      () => {
        isReady = true
      },
      (error: unknown) => notes.broken(`recovery failed: ${String(error)}`),
    )
  const leave = async () => {
    attention.close()
    limits.close()
    streams.close()
    await runtime.crash()
  }
  return {
    conversations,
    attention,
    steps,
    get isReady() {
      return isReady
    },
    async crash() {
      steps.freeze()
      await steps.settle()
      await leave()
    },
    leave,
  }
}

/** The store with every call of its repositories as a step. Wake-ups pass: they are never waited for. */
function heldStore(store: Store, steps: HeldSteps): Store {
  const held = (repository: object, name: string): object =>
    new Proxy(repository, {
      get(target, method) {
        const found: unknown = Reflect.get(target, method)
        if (typeof found !== 'function') return found
        return (...values: unknown[]) =>
          steps.run(`${name}.${String(method)}`, async () => found.apply(target, values) as unknown)
      },
    })
  const entries = Object.entries(store).map(([name, part]) =>
    typeof part === 'object' && name !== 'db' ? [name, held(part as object, name)] : [name, part],
  )
  return Object.fromEntries(entries) as Store
}
