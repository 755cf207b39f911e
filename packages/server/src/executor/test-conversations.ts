import {
  catalogueOf,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  emptyRuntimeState,
  type MemoryRuntimeAdapter,
} from '@clawboo/core/contract'
import { type Capabilities, RuntimeRegistry } from '@clawboo/core/executor'
import type { RecordChange } from '../registry/record-change.ts'
import { type Attention, createAttention } from './attention.ts'
import type { Conversations } from './conversations.ts'
import { driveConversations } from './drive-conversations.ts'
import { createLimits, type Limits } from './limits.ts'
import { createRunStreams } from './run-streams.ts'
import { settleDeadRuns } from './settle-dead-runs.ts'
import type { TestRecords } from './test-records.ts'
import { NO_RUN_INPUT } from './test-run-inputs.ts'

const ALL: Partial<Capabilities> = { streaming: true, resume: true, steering: true, toolApproval: true }

/** The words that keep a reference run at work until its state is released. */
export const HELD = 'Play this script: [{"callTool":"held"}]'

/** A reference runtime of its own; without claims given, with all that conversations use. */
export function memoryRuntime(claims = ALL, state = emptyRuntimeState()): MemoryRuntimeAdapter {
  return createMemoryRuntimeAdapter({ claims, state })
}

/** What a test puts around real parts, to hold them or to let them fail. */
export interface Around {
  readonly record?: (record: RecordChange) => RecordChange
  readonly limits?: (limits: Limits) => Limits
}

/** A server of this home that starts, as far as conversations know; the one before it is dead. */
export async function startConversations(
  { store, record: kept, log }: TestRecords,
  adapter: DescribedAdapter,
  around: Around = {},
): Promise<{ conversations: Conversations; attention: Attention }> {
  const record = around.record?.(kept) ?? kept
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(adapter))
  const attention = createAttention({ store, record, log })
  const plain = createLimits(store, record)
  const limits = around.limits?.(plain) ?? plain
  const streams = createRunStreams()
  const parts = { store, record, runtimes, attention, limits, streams, log, instance: 'me', inputs: NO_RUN_INPUT }
  const conversations = driveConversations(parts)
  await settleDeadRuns(record, 'me')
  await conversations.recover()
  return { conversations, attention }
}
