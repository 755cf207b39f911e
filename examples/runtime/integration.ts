import { fixedCatalogue } from '@clawboo/core/executor'
import type { Integration } from '../../packages/server/src/integrations/host.ts'
import { ECHO_DESCRIPTOR } from './descriptor.ts'

/** A runtime without a program of its own. It answers with the first line of the agent's SOUL.md and the prompt. */
export const echoIntegration: Integration = {
  id: ECHO_DESCRIPTOR.id,
  open: (host) => ({
    runtimes: fixedCatalogue({
      descriptor: ECHO_DESCRIPTOR,
      checkExecConfig: async (config) => (await import('./exec-config.ts')).checkEchoConfig(config),
      load: async () => (await import('./runtime.ts')).createEchoRuntime(host),
    }),
  }),
}
