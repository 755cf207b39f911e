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
    subjectId: z.string().nullable().describe('The approval, the message or the task it is about'),
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
      .describe('What would happen, whole'),
    task: z
      .object({
        teamId: z.string().nullable().describe('Whose board it is on'),
        askedBy: z.string(),
        askedOf: z.string(),
      })
      .optional()
      .describe('What a person is asked to do; exactly with the kind `task`'),
    answers: z.array(answer).describe('The answers that are offered'),
    state: z.enum(['open', 'answered', 'expired']),
    answer: answer.nullable(),
    answeredBy: z.string().nullable(),
    createdAt: epochMs,
    settledAt: epochMs.nullable(),
    expiresAt: epochMs.nullable().describe('From then on nobody waits for the answer'),
  })
  .meta({ id: 'AttentionItem', description: 'Something that needs a person. Answered once.' })

export const attentionQuerySchema = z.strictObject({
  state: z.enum(['open', 'settled']).optional().describe('Both unless said'),
  limit: z.coerce.number().int().min(1).max(500).optional(),
})

export const answerAttentionSchema = z
  .strictObject({
    answer,
    text: z
      .string()
      .max(16_000)
      .optional()
      .describe('To a task: `answer` and `refuse` need one, the others may have one'),
  })
  .meta({ id: 'AnswerAttention' })
