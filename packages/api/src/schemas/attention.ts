import { ATTENTION_ANSWERS, type AttentionItem } from '@clawboo/core/executor'
import { z } from 'zod'

const epochMs = z.number().int().describe('Epoch milliseconds')
const answer = z.enum(ATTENTION_ANSWERS)

export const attentionItemSchema: z.ZodType<AttentionItem, AttentionItem> = z
  .object({
    id: z.string(),
    kind: z.enum(['approval', 'limit', 'message', 'notice', 'task']),
    agentId: z.string().nullable(),
    agentName: z.string().nullable(),
    runId: z.string().nullable(),
    subjectId: z.string().nullable().describe('The approval, message or task that it concerns'),
    title: z.string(),
    detail: z.string(),
    action: z
      .object({
        tool: z.string(),
        command: z.string(),
        cwd: z.string(),
        reason: z.string(),
        mayAlwaysAllow: z.boolean(),
      })
      .nullable()
      .describe('The whole action'),
    task: z
      .object({
        teamId: z.string().nullable().describe('The team of the board'),
        askedBy: z.string(),
        askedOf: z.string(),
      })
      .optional()
      .describe('The task for a person; present exactly for the kind `task`'),
    answers: z.array(answer).describe('The possible answers'),
    state: z.enum(['open', 'answered', 'expired']),
    answer: answer.nullable(),
    answeredBy: z.string().nullable(),
    createdAt: epochMs,
    settledAt: epochMs.nullable(),
    expiresAt: epochMs.nullable().describe('After this time nothing waits for the answer'),
  })
  .meta({ id: 'AttentionItem', description: 'An item that needs a person. Answered once.' })

export const attentionQuerySchema = z.strictObject({
  state: z.enum(['open', 'settled']).optional().describe('Both by default'),
  limit: z.coerce.number().int().min(1).max(500).optional(),
})

export const answerAttentionSchema = z
  .strictObject({
    answer,
    text: z
      .string()
      .max(16_000)
      .optional()
      .describe('For a task: required for `answer` and `refuse`, optional for the others'),
  })
  .meta({ id: 'AnswerAttention' })
