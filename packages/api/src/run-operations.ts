import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as attention from './schemas/attention.ts'
import * as messages from './schemas/messages.ts'
import * as runs from './schemas/runs.ts'

const HOUR_MS = 60 * 60_000
const usd = (max: number) => z.number().positive('must be more than 0').max(max)
const whole = (max: number) => z.number().int().min(1, 'must be at least 1').max(max)

const runLimits = z.object({
  modelCalls: whole(100_000).describe('Model calls per run'),
  tokens: whole(1_000_000_000).describe('Tokens per run, in and out'),
  usd: usd(100_000).describe('Dollars a run'),
  wallMs: z
    .number()
    .int()
    .min(1_000)
    .max(7 * 24 * HOUR_MS)
    .describe('The maximum duration of a run'),
  idleMs: z
    .number()
    .int()
    .min(1_000)
    .max(24 * HOUR_MS)
    .describe('The maximum time without output'),
  unknownPriceUsdPerMillionTokens: usd(100_000).describe('The assumed cost of a call without a known price'),
})

const dailyBudgets = z.object({
  agentUsd: usd(1_000_000).describe('Dollars per day for each Boo'),
  teamUsd: usd(1_000_000).describe('Dollars per day for each team'),
  serverUsd: usd(1_000_000).describe('Dollars per day in total'),
})

export const setLimitsSchema = z
  .strictObject({
    run: z.strictObject(runLimits.partial().shape).optional(),
    daily: z.strictObject(dailyBudgets.partial().shape).optional(),
  })
  .refine(
    ({ run, daily }) => Object.values({ ...run, ...daily }).some((value) => value !== undefined),
    'must change at least one limit',
  )
  .meta({ id: 'SetLimits' })

const spent = {
  usd: z.number().describe('Includes calls without a known price, at the assumed price'),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  modelCalls: z.number().int(),
}

export const limitsSchema = z
  .object({
    run: runLimits.meta({ id: 'RunLimits' }),
    daily: dailyBudgets.meta({ id: 'DailyBudgets' }),
    day: z.string().describe('The day in UTC of `spentToday`'),
    spentToday: z.object({
      serverUsd: z.number(),
      byAgent: z.array(z.object({ agentId: z.string(), ...spent })),
      byTeam: z.array(z.object({ teamId: z.string(), ...spent })),
    }),
  })
  .meta({ id: 'Limits' })

const agentParams = z.object({ agentId: idSchema })
const runParams = z.object({ runId: idSchema })

/** Operations of messages and runs. */
export const RUN_OPERATIONS = {
  sendMessage: {
    tag: 'Conversations',
    summary: 'Send a message to a Boo',
    params: agentParams,
    body: messages.sendMessageSchema,
    response: messages.sentMessageSchema,
    status: 201,
    errors: [
      'agent_not_found',
      'agent_cannot_run',
      'runtime_not_found',
      'queue_full',
      'model_unknown',
      'server_stopping',
    ],
  },
  listMessages: {
    tag: 'Conversations',
    summary: 'List the messages to a Boo in order of arrival',
    params: agentParams,
    query: messages.messagesQuerySchema,
    response: z.object({ messages: z.array(messages.messageSchema) }),
    errors: ['agent_not_found'],
  },
  withdrawMessage: {
    tag: 'Conversations',
    summary: 'Withdraw a message while it waits',
    params: z.object({ agentId: idSchema, messageId: idSchema }),
    response: messages.messageSchema,
    errors: ['agent_not_found', 'message_not_found', 'message_delivered'],
  },
  readConversation: {
    tag: 'Conversations',
    summary: 'Read the newest runs of a conversation with all their events',
    params: agentParams,
    query: messages.conversationQuerySchema,
    response: messages.conversationSchema,
    errors: ['agent_not_found'],
  },
  changeConversation: {
    tag: 'Conversations',
    summary: "Change a conversation's settings; null restores the Boo's own",
    params: agentParams,
    body: messages.changeConversationSchema,
    response: messages.conversationSettingsSchema,
    errors: ['agent_not_found', 'model_unknown'],
  },
  resetConversation: {
    tag: 'Conversations',
    summary: 'Start a new conversation; earlier messages stay in the runs',
    params: agentParams,
    body: messages.resetConversationSchema,
    response: null,
    status: 204,
    errors: ['agent_not_found', 'agent_busy', 'agent_cannot_run', 'runtime_not_found'],
  },
  followAgent: {
    tag: 'Conversations',
    summary: "Follow a Boo's runs as server-sent events: `stream-ready`, then one `run-event` each",
    params: agentParams,
    response: z.string().describe('text/event-stream'),
    stream: true,
    errors: ['agent_not_found', 'reader_limit_reached'],
  },
  stopAgent: {
    tag: 'Conversations',
    summary: 'Stop what a Boo is doing',
    params: agentParams,
    body: messages.stopAgentSchema,
    response: runs.stoppedSchema,
    errors: ['agent_not_found'],
  },
  inspectAgent: {
    tag: 'Conversations',
    summary: "Read the context of a Boo's next run, and why each part is in it",
    params: agentParams,
    query: messages.inspectionQuerySchema,
    response: messages.inspectionSchema,
    errors: ['agent_not_found', 'agent_cannot_run', 'runtime_not_found'],
  },

  listRuns: {
    tag: 'Runs',
    summary: 'List every run, newest first',
    query: runs.runsQuerySchema,
    response: runs.runPageSchema,
  },
  getRun: {
    tag: 'Runs',
    summary: 'Read one run with its record',
    params: runParams,
    response: runs.runDetailSchema,
    errors: ['run_not_found'],
  },
  stopRun: {
    tag: 'Runs',
    summary: 'Stop a run',
    params: runParams,
    response: runs.stoppedSchema,
    errors: ['run_not_found'],
  },

  listAttention: {
    tag: 'Attention',
    summary: 'List items that need a person: open items oldest first, then settled ones newest first',
    query: attention.attentionQuerySchema,
    response: z.object({ items: z.array(attention.attentionItemSchema) }),
  },
  answerAttention: {
    tag: 'Attention',
    summary: 'Answer an item; the first answer that settles it counts',
    params: z.object({ itemId: idSchema }),
    body: attention.answerAttentionSchema,
    response: attention.attentionItemSchema,
    errors: [
      'attention_not_found',
      'attention_settled',
      'answer_refused',
      'task_conflict',
      'illegal_transition',
      'evidence_missing',
      'evidence_stale',
      'check_failed',
    ],
  },

  getLimits: {
    tag: 'Runs',
    summary: 'Read the limits of a run, the daily budgets and the amounts spent',
    response: limitsSchema,
  },
  setLimits: {
    tag: 'Runs',
    summary: 'Change limits and budgets, effective at once',
    body: setLimitsSchema,
    response: limitsSchema,
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
