import {
  catalogueOf,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  emptyRuntimeState,
  type MemoryRuntimeAdapter,
} from '@clawboo/core/contract'
import { type Capabilities, RuntimeRegistry } from '@clawboo/core/executor'
import type { RecordChange } from '../../registry/record-change.ts'
import { type Attention, createAttention } from '../attention/attention.ts'
import { createLimits, type Limits } from '../limits/limits.ts'
import { openRunService } from '../run/run-service.ts'
import { createRunStreams } from '../run/run-streams.ts'
import { settleDeadRuns } from '../run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../run/test-run-inputs.ts'
import type { TestRecords } from '../test-records.ts'
import { type Conversations, createConversations } from './conversations.ts'

const ALL: Partial<Capabilities> = { streaming: true, resume: true, steering: true, toolApproval: true }

/** A prompt that keeps a reference run active until its state is released. */
export const HELD = 'Play this script: [{"callTool":"held"}]'

/** A new reference runtime, by default with all capabilities that conversations use. */
export function memoryRuntime(claims = ALL, state = emptyRuntimeState()): MemoryRuntimeAdapter {
  return createMemoryRuntimeAdapter({ claims, state })
}

/** Wrappers around real services, to delay them or let them fail. */
export interface Wrappers {
  readonly record?: (record: RecordChange) => RecordChange
  readonly limits?: (limits: Limits) => Limits
}

/** Starts the conversations of a server. An earlier server on the same home counts as dead. */
export async function startConversations(
  { store, record: plainRecord, log }: TestRecords,
  adapter: DescribedAdapter,
  wrap: Wrappers = {},
): Promise<{ conversations: Conversations; attention: Attention }> {
  const record = wrap.record?.(plainRecord) ?? plainRecord
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(adapter))
  const attention = createAttention({ store, record, log })
  const plainLimits = createLimits(store, record)
  const limits = wrap.limits?.(plainLimits) ?? plainLimits
  const streams = createRunStreams()
  const shared = { store, record, attention, streams, log, instance: 'me' }
  const runs = openRunService({ ...shared, limits, prepareInput: NO_RUN_INPUT })
  const conversations = createConversations({ ...shared, runtimes, runs })
  await settleDeadRuns(record, 'me')
  await conversations.recover()
  return { conversations, attention }
}
