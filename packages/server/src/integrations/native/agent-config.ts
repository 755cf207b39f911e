import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { z } from 'zod'
import { checkConfig, hostConfigFields } from '../host-config.ts'

const modelRef = z.string().min(1).max(200)
const names = z.array(z.string().min(1).max(200)).max(100)
const count = z.number().int().positive()

const toolRules = z.strictObject({
  profile: z.enum(['minimal', 'coding', 'messaging', 'full']).optional(),
  /** Extends the profile. */
  alsoAllow: names.optional(),
  /** Empty or absent = everything. */
  allow: names.optional(),
  /** Overrides every allowance. */
  deny: names.optional(),
})

/** The rules for commands. `full` runs every command with the rights of the server's account. */
const execRules = z.strictObject({
  security: z.enum(['deny', 'allowlist', 'full']).optional(),
  ask: z.enum(['off', 'unconfined', 'on-miss', 'always']).optional(),
  allowlist: z
    .array(z.strictObject({ pattern: z.string().min(1).max(500), argPattern: z.string().max(500).optional() }))
    .max(200)
    .optional(),
  timeoutSec: z.number().min(0).max(172_800).optional(),
  applyPatch: z.strictObject({ enabled: z.boolean().optional(), allowModels: names.optional() }).optional(),
})

const bootstrapRules = z.strictObject({
  skip: z.boolean().optional(),
  skipOptional: z.array(z.enum(AGENT_FILE_NAMES)).optional(),
  maxChars: count.max(200_000).optional(),
  totalMaxChars: count.max(1_000_000).optional(),
  warning: z.enum(['off', 'once', 'always']).optional(),
  injection: z.enum(['always', 'never']).optional(),
})

const skillRules = z.strictObject({
  /** When present, only these names are allowed. */
  allow: names.optional(),
  extraDirs: z.array(z.string().min(1).max(1000)).max(20).optional(),
  disabled: names.optional(),
})

const blockRules = z.strictObject({
  /** False = text is sent as it arrives, not in blocks. */
  enabled: z.boolean().optional(),
  /** Send while the text arrives, or only when the message is complete. */
  breakAt: z.enum(['text_end', 'message_end']).optional(),
  minChars: count.max(100_000).optional(),
  maxChars: count.max(100_000).optional(),
  breakPreference: z.enum(['paragraph', 'newline', 'sentence']).optional(),
  /** `newline` sends every paragraph on its own. */
  chunkMode: z.enum(['length', 'newline']).optional(),
  coalesce: z.strictObject({ idleMs: z.number().min(0).max(5_000).optional() }).optional(),
})

/** The settings of a native Boo. Unknown fields are refused, so that a misspelt limit does not go unnoticed. */
const execConfigSchema = z.strictObject({
  ...hostConfigFields,
  /** `provider/model`. */
  model: modelRef.optional(),
  fallbackModels: z.array(modelRef).max(10).optional(),
  reasoning: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  maxOutputTokens: count.max(1_000_000).optional(),
  tools: toolRules.optional(),
  exec: execRules.optional(),
  /** False lets the file tools access paths outside the workspace. */
  workspaceOnly: z.boolean().optional(),
  bootstrap: bootstrapRules.optional(),
  skills: skillRules.optional(),
  verbose: z.enum(['off', 'on', 'full']).optional(),
  blockStreaming: blockRules.optional(),
  /** Whether old tool results are dropped once a provider's cache has expired. */
  pruning: z.enum(['auto', 'on', 'off']).optional(),
  contextWindowTokens: count.min(4000).max(10_000_000).optional(),
  /** How many identical rounds of tool calls end a run. */
  identicalRounds: z.number().int().min(2).max(1000).optional(),
})

export type NativeConfig = Readonly<z.output<typeof execConfigSchema>>

export function checkExecConfig(config: unknown): NativeConfig | null {
  return checkConfig(execConfigSchema, config, 'execConfig')
}
