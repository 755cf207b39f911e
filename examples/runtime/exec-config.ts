import { z } from 'zod'
import { checkConfig, hostConfigFields } from '../../packages/server/src/integrations/host-config.ts'

/** The host's own fields and nothing else: a misspelt field is refused. */
const execConfigSchema = z.strictObject(hostConfigFields)

export function checkEchoConfig(config: unknown): unknown {
  return checkConfig(execConfigSchema, config, 'execConfig')
}
