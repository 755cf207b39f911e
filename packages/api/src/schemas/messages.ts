import {
  type AgentInspection,
  type ConversationReading,
  type ConversationSettings,
  MESSAGE_MODES,
  MESSAGE_STATES,
  type MessageRecord,
} from '@clawboo/core/executor'
import { z } from 'zod'
import { recordId, runDetailSchema } from './runs.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const sessionKey = z
  .string()
  .min(1)
  .max(400)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .describe("The conversation; the Boo's main one by default")
const modelRef = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
const mode = z
  .enum(MESSAGE_MODES)
  .describe(
    'While the Boo is running: `steer` reaches it in this run, `followup` waits for its end, `collect` waits and is joined with others, `interrupt` stops it first',
  )

export const messageSchema: z.ZodType<MessageRecord, MessageRecord> = z
  .object({
    id: z.string(),
    agentId: z.string(),
    sessionKey: z.string(),
    text: z.string(),
    mode,
    model: z.string().nullable(),
    sender: z.string(),
    state: z.enum(MESSAGE_STATES),
    runId: z.string().nullable().describe('The run that includes it'),
    reason: z.string().nullable().describe('Why it was dropped, failed or is uncertain'),
    attempts: z.number().int(),
    createdAt: epochMs,
    settledAt: epochMs.nullable(),
  })
  .meta({ id: 'Message' })

export const sendMessageSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be 8 to 64 letters, digits, dashes and underscores')
      .optional()
      .describe('Chosen by the sender: repeating an id returns the first outcome and does nothing'),
    text: z
      .string()
      .max(100_000, 'must have at most 100000 characters')
      .refine((text) => text.trim() !== '', 'must not be empty'),
    sessionKey: sessionKey.optional(),
    mode: mode.optional(),
    model: modelRef.optional().describe('For the run that answers this message'),
  })
  .meta({ id: 'SendMessage' })

export const sentMessageSchema = z
  .object({
    message: messageSchema,
    verdict: z.enum(['started', 'steered', 'queued', 'interrupting']),
    runId: z.string().nullable().describe('The run that it started or joined'),
  })
  .meta({ id: 'SentMessage' })

export const messagesQuerySchema = z.strictObject({
  session: sessionKey.optional(),
  state: z.enum(MESSAGE_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

const waitMs = z.number().int().min(0).max(600_000, 'must be at most ten minutes')
const queueCap = z.number().int().min(1).max(500)

export const conversationSettingsSchema: z.ZodType<ConversationSettings, ConversationSettings> = z
  .object({
    model: z.string().nullable(),
    queueMode: mode.nullable(),
    debounceMs: waitMs.nullable(),
    cap: queueCap.nullable(),
    drop: z.enum(['summarize', 'old', 'new']).nullable(),
    verbose: z.enum(['off', 'on', 'full']).nullable(),
  })
  .meta({ id: 'ConversationSettings', description: 'null = the setting of the Boo or the server.' })

export const changeConversationSchema = z
  .strictObject({
    sessionKey: sessionKey.optional(),
    model: modelRef.nullable().optional(),
    queueMode: mode.nullable().optional(),
    debounceMs: waitMs
      .nullable()
      .optional()
      .describe('How long the queue waits for more messages before it starts a run'),
    cap: queueCap.nullable().optional().describe('The maximum number of waiting messages'),
    drop: z
      .enum(['summarize', 'old', 'new'])
      .nullable()
      .optional()
      .describe('Which messages are dropped when the queue is full'),
    verbose: z.enum(['off', 'on', 'full']).nullable().optional().describe('How much of its tool use the Boo reports'),
  })
  .refine(
    ({ sessionKey: _, ...patch }) => Object.values(patch).some((value) => value !== undefined),
    'must change at least one setting',
  )
  .meta({ id: 'ChangeConversation' })

export const conversationQuerySchema = z.strictObject({
  session: sessionKey.optional(),
  before: recordId().optional().describe('Only runs that began before this one'),
  limit: z.coerce.number().int().min(1).max(100).optional(),
})

export const conversationSchema: z.ZodType<ConversationReading, ConversationReading> = z
  .object({
    sessionKey: z.string(),
    activeRunId: z.string().nullable(),
    runs: z.array(runDetailSchema).describe('Newest last'),
    queued: z.array(messageSchema).describe('In order of arrival'),
    settings: conversationSettingsSchema,
    begunAnew: z
      .object({
        at: epochMs,
        afterRunId: z.string().nullable().describe('The last run of the previous conversation; null = none'),
      })
      .nullable()
      .describe('When the conversation was last restarted; null = never'),
    hasMore: z.boolean().describe('Whether older runs exist'),
  })
  .meta({ id: 'Conversation' })

export const resetConversationSchema = z
  .strictObject({ sessionKey: sessionKey.optional() })
  .meta({ id: 'ResetConversation' })

export const stopAgentSchema = z
  .strictObject({
    sessionKey: sessionKey.optional(),
    clearQueue: z.boolean().optional().describe('Also withdraws waiting messages'),
  })
  .meta({ id: 'StopAgent' })

export const inspectionQuerySchema = z.strictObject({ session: sessionKey.optional() })

export const inspectionSchema: z.ZodType<AgentInspection, AgentInspection> = z
  .object({
    model: z.object({ ref: z.string(), problem: z.string().nullable() }),
    files: z.array(
      z.object({
        name: z.string(),
        characters: z.number().int(),
        injectedCharacters: z.number().int(),
        problem: z.string().nullable(),
        lostHeadings: z.array(z.string()),
      }),
    ),
    skills: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        location: z.string(),
        eligible: z.boolean(),
        problem: z.string().nullable(),
      }),
    ),
    tools: z.array(z.object({ name: z.string(), allowed: z.boolean(), reason: z.string() })),
    commandPolicy: z.array(z.string()),
    systemPromptCharacters: z.number().int(),
  })
  .meta({ id: 'Inspection', description: "The context of the Boo's next run, and why each part is in it." })
