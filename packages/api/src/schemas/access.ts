import { z } from 'zod'

export const signInSchema = z.strictObject({ code: z.string().min(1).max(200) }).meta({ id: 'SignIn' })

export const signInLinkSchema = z
  .object({ url: z.string().describe('Opens the page and works once'), expiresAt: z.number().int() })
  .meta({ id: 'SignInLink' })

export const rotatedSchema = z
  .object({ rotatedAt: z.number().int() })
  .meta({ id: 'Rotated', description: 'Only the token file in the home folder contains the new token.' })

export const auditEntrySchema = z
  .object({
    id: z.string(),
    at: z.number().int(),
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    runId: z.string().nullable(),
    detail: z.unknown().nullable(),
  })
  .meta({ id: 'AuditEntry' })

export const auditQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).optional(),
  before: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the id of an entry')
    .optional()
    .describe('Only entries older than this id'),
})

export const healthSchema = z
  .object({ ok: z.literal(true), version: z.string(), instance: z.string().describe('Changes with every start') })
  .meta({ id: 'Health' })

export const statusSchema = z
  .object({
    version: z.string(),
    instance: z.string(),
    startedAt: z.number().int(),
    engine: z.enum(['sqlite', 'postgres']),
    home: z.string(),
    agents: z.number().int(),
    teams: z.number().int(),
    readers: z.number().int().describe('Open event feeds'),
    lastEventId: z.string(),
    confinement: z
      .object({
        isOn: z.boolean().describe('Whether commands of Boos reach only their own folders'),
        reason: z.string().nullable().describe('Why this machine cannot confine commands'),
        fix: z.string().nullable().describe('The command that makes confinement possible'),
      })
      .describe('Without it, a person is asked before every command'),
  })
  .meta({ id: 'Status' })
