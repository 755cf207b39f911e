import type { AgentRecord } from '@clawboo/core/registry'
import { z } from 'zod'
import { checkConfig, hostConfigFields } from '../host-config.ts'
import { object, text } from './gateway/gateway-frames.ts'

/** The Gateway's permission modes for a session. */
export const PERMISSION_MODES = ['read-only', 'guarded', 'workspace', 'full'] as const

/** The settings of a Gateway agent that Clawboo stores. All others are stored at the Gateway. */
const execConfigSchema = z.strictObject({
  ...hostConfigFields,
  /** The Gateway's name for the model. */
  model: z
    .string()
    .max(200)
    .regex(/^[^\s/]+\/\S+$/, 'must be provider/model, as the Gateway names it')
    .optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
})

/** Throws `agent_config_invalid`. */
export function checkExecConfig(config: unknown): unknown {
  return checkConfig(execConfigSchema, config, 'execConfig')
}

/** The agent settings that apply to a session; null = the Gateway's setting applies. */
export interface SessionSettings {
  readonly model: string | null
  readonly permissionMode: string | null
}

/** `model` is a choice for this run and overrides the agent's own model. */
export function sessionSettings(agent: AgentRecord, model?: string): SessionSettings {
  const config = object(agent.execConfig)
  return { model: model || text(config.model) || null, permissionMode: text(config.permissionMode) || null }
}
