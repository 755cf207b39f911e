import { fixedCatalogue } from '@clawboo/core/executor'
import type { Integration } from '../host.ts'
import { nativeDescriptor } from './descriptor.ts'
import { DEMO_CANDIDATE } from './models/demo/demo-candidate.ts'
import { refOf } from './models/failover/failover.ts'
import { NATIVE_ID } from './native-id.ts'
import type { WorkingParts } from './working-parts.ts'

/** The runtime in the server's process, and the models that it and others call. */
export const nativeIntegration: Integration = {
  id: NATIVE_ID,
  open(host) {
    let opened: WorkingParts | null = null
    /** The runtime and the page share the same models. */
    const open = async () => {
      const { openWorkingParts } = await import('./working-parts.ts')
      opened ??= openWorkingParts(host)
      return opened
    }
    return {
      runtimes: fixedCatalogue({
        descriptor: nativeDescriptor(host),
        checkExecConfig: async (config) => (await import('./agent-config.ts')).checkExecConfig(config),
        load: async () => (await open()).runtime,
      }),
      modelProviders: {
        demoModel: refOf(DEMO_CANDIDATE),
        load: async () => (await open()).modelProviders,
      },
    }
  },
}
