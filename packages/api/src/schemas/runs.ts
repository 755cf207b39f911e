import { RUN_OUTCOMES, RUN_REASONS, type RunDetail, type RunEntry, type RunRecord } from '@clawboo/core/executor'
import { z } from 'zod'
import { idSchema } from '../operation.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const count = z.number().int().min(0)

export const runSchema: z.ZodType<RunRecord, RunRecord> = z
  .object({
    id: z.string(),
    agentId: z.string(),
    agentName: z.string().describe('The current name of the Boo'),
    teamId: z.string().nullable().describe('The team of the Boo when the run began'),
    runtime: z.string(),
    sessionKey: z.string(),
    trigger: z.enum(['message', 'task', 'room']),
    model: z.string().nullable(),
    state: z.enum(['running', 'ended']),
    outcome: z.enum(RUN_OUTCOMES).nullable().describe('null while it is running'),
    reason: z.enum(RUN_REASONS).nullable().describe('Why it did not complete; stable'),
    detail: z.string().nullable().describe('For people; may change'),
    prompt: z.string().describe('The beginning of the prompt'),
    text: z.string().describe('The beginning of the Boo’s last text'),
    modelCalls: count,
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    costUsd: z.number().nullable().describe('null = no call had a known price'),
    costComplete: z.boolean().describe('False when `costUsd` excludes a call without a known price'),
    contextTokens: count.nullable(),
    contextWindowTokens: count.nullable(),
    startedAt: epochMs,
    endedAt: epochMs.nullable(),
  })
  .meta({ id: 'Run' })

/** Validates the fields of every event; the type adds those of each kind. */
const runEntrySchema = z
  .looseObject({
    type: z.string(),
    runId: z.string(),
    sessionId: z.string().nullable(),
    seq: z.number().int(),
    ts: epochMs,
  })
  .meta({
    id: 'RunEntry',
    description: 'One event of a run: status, text, thinking, a tool call, its result, cost, the end.',
  }) as unknown as z.ZodType<RunEntry, RunEntry>

export const runDetailSchema: z.ZodType<RunDetail, RunDetail> = z
  .object({
    run: runSchema,
    entries: z.array(runEntrySchema).describe('In order; consecutive deltas of one message are one entry'),
  })
  .meta({ id: 'RunDetail' })

export const runsQuerySchema = z.strictObject({
  agentId: idSchema.optional(),
  teamId: idSchema.optional(),
  state: z.enum(['running', 'ended']).optional(),
  outcome: z.enum(RUN_OUTCOMES).optional(),
  before: recordId().optional().describe('Only runs that began before this one'),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

export const runPageSchema = z
  .object({ runs: z.array(runSchema).describe('Newest first'), hasMore: z.boolean() })
  .meta({ id: 'RunPage' })

export const stoppedSchema = z
  .object({ stopped: z.string().nullable().describe('The run that is being stopped; null = none was running') })
  .meta({ id: 'Stopped' })

/** An id as a query parameter. */
export function recordId(): z.ZodString {
  return z.string().regex(/^[\w-]{1,100}$/, 'must be an id')
}
