import { catalogueOf } from '@clawboo/core/contract'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { type Attention, createAttention } from '../../packages/server/src/executor/attention/attention.ts'
import {
  type Conversations,
  createConversations,
} from '../../packages/server/src/executor/conversations/conversations.ts'
import { createLimits } from '../../packages/server/src/executor/limits/limits.ts'
import { openRunService } from '../../packages/server/src/executor/run/run-service.ts'
import { createRunStreams } from '../../packages/server/src/executor/run/run-streams.ts'
import { settleDeadRuns } from '../../packages/server/src/executor/run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../../packages/server/src/executor/run/test-run-inputs.ts'
import type { TestRecords } from '../../packages/server/src/executor/test-records.ts'
import type { RecordChange } from '../../packages/server/src/registry/record-change.ts'
import type { Store } from '../../packages/server/src/store/open-store.ts'
import { HeldSteps } from './held-steps.ts'
import { createLoopRuntime } from './loop-runtime.ts'
import type { Random } from './random.ts'
import type { RoundNotes } from './round-notes.ts'

export interface ChaosHostOptions {
  readonly records: TestRecords
  /** The folder of its transcripts. */
  readonly folder: string
  readonly instance: string
  readonly random: Random
  readonly notes: RoundNotes
  readonly holdPercent: number
}

/** One server process, as far as conversations need it. */
export interface ChaosHost {
  readonly conversations: Conversations
  readonly attention: Attention
  readonly steps: HeldSteps
  /** Whether it has recovered the state that the previous process left. */
  readonly isReady: boolean
  /** `kill -9`. */
  crash(): Promise<void>
  /** Call after `conversations.close()`. */
  leave(): Promise<void>
}

export function openChaosHost(options: ChaosHostOptions): ChaosHost {
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
    prepareInput: NO_RUN_INPUT,
  }
  const runs = openRunService(parts)
  const conversations = createConversations({ ...parts, runs })
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
    runs.close()
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

/** The store with every repository call as a step, except wake-ups, which no code awaits. */
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
