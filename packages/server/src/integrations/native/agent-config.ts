import { ClawbooError } from '@clawboo/core'
import { z } from 'zod'

/** What may be said about how a native Boo runs. Unknown fields are refused: a misspelt limit must not go unnoticed. */
const execConfigSchema = z.strictObject({
  /** `provider/model`. */
  model: z.string().min(1).max(200).optional(),
  fallbackModels: z.array(z.string().min(1).max(200)).max(10).optional(),
  budgetUsd: z.number().positive().max(100_000).optional(),
})

/** Who a Boo is, in a line a person reads; the long form is in its files. */
const personalityConfigSchema = z.looseObject({
  role: z.string().max(120, 'must have at most 120 characters').optional(),
})

export function checkExecConfig(config: unknown): unknown {
  return check(execConfigSchema, config, 'execConfig')
}

export function checkPersonalityConfig(config: unknown): unknown {
  return check(personalityConfigSchema, config, 'personalityConfig')
}

function check(schema: z.ZodType, config: unknown, field: string): unknown {
  if (config === null || config === undefined) return null
  const result = schema.safeParse(config)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => ({
    path: [field, ...issue.path].join('.'),
    message: issue.message,
  }))
  throw new ClawbooError('agent_config_invalid', `${issues[0]!.path}: ${issues[0]!.message}`, { details: { issues } })
}
