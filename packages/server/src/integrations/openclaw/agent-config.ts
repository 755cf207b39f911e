import type { AgentRecord } from '@clawboo/core/registry'
import { z } from 'zod'
import { checkConfig, hostConfigFields } from '../host-config.ts'
import { object, text } from './gateway/gateway-frames.ts'

/** What the Gateway lets a session do. */
export const PERMISSION_MODES = ['read-only', 'guarded', 'workspace', 'full'] as const

/** What may be said about how an agent of a Gateway runs. The rest of it is set there. */
const execConfigSchema = z.strictObject({
  ...hostConfigFields,
  /** As the Gateway names it. */
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

/** What of an agent's settings concerns a session; null = what the Gateway has set holds. */
export interface SessionWish {
  readonly model: string | null
  readonly permissionMode: string | null
}

/** `model` is a choice for this run, before the agent's own. */
export function sessionWish(agent: AgentRecord, model?: string): SessionWish {
  const config = object(agent.execConfig)
  return { model: model || text(config.model) || null, permissionMode: text(config.permissionMode) || null }
}
