import { ClawbooError } from '@clawboo/core'
import { MESSAGE_MODES } from '@clawboo/core/executor'
import { z } from 'zod'

/** The fields of an agent's `execConfig` that the host itself reads, for any runtime. */
export const hostConfigFields = {
  /** Dollars per day. */
  budgetUsd: z.number().positive().max(100_000).optional(),
  queue: z
    .strictObject({
      mode: z.enum(MESSAGE_MODES).optional(),
      debounceMs: z.number().min(0).max(600_000).optional(),
      cap: z.number().int().min(1).max(1000).optional(),
      drop: z.enum(['summarize', 'old', 'new']).optional(),
    })
    .optional(),
}

/** A Boo's personality in one line for people; the long form is in its files. */
const personalityConfigSchema = z.looseObject({
  role: z.string().max(120, 'must have at most 120 characters').optional(),
})

export function checkPersonalityConfig(config: unknown): unknown {
  return checkConfig(personalityConfigSchema, config, 'personalityConfig')
}

/** Throws `agent_config_invalid`, which names the field. */
export function checkConfig<T>(schema: z.ZodType<T>, config: unknown, field: string): T | null {
  if (config === null || config === undefined) return null
  const result = schema.safeParse(config)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => ({
    path: [field, ...issue.path].join('.'),
    message: issue.message,
  }))
  throw new ClawbooError('agent_config_invalid', `${issues[0]!.path}: ${issues[0]!.message}`, { details: { issues } })
}
