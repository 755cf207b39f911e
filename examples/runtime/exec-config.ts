import { z } from 'zod'
import { checkConfig, hostConfigFields } from '../../packages/server/src/integrations/host-config.ts'

/** Accepts only the host's own fields, so a misspelt field is refused. */
const execConfigSchema = z.strictObject(hostConfigFields)

export function checkEchoConfig(config: unknown): unknown {
  return checkConfig(execConfigSchema, config, 'execConfig')
}
