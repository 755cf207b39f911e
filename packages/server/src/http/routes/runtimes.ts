import type { RuntimeRegistry } from '@clawboo/core/executor'
import { runtimeInfo } from '../../executor/runtimes/runtime-facts.ts'
import type { Handlers } from '../app.ts'

export interface RuntimeRouteDependencies {
  readonly runtimes: RuntimeRegistry
}

export function runtimeRoutes({ runtimes }: RuntimeRouteDependencies) {
  return {
    listRuntimes: async () => ({ runtimes: runtimes.list().map(runtimeInfo) }),
    async listRuntimeModels({ params }) {
      const runtime = runtimes.get(params.runtimeId)
      const adapter = runtime.descriptor.claims.ownModels ? await runtime.load() : null
      return { models: [...((await adapter?.listModels?.()) ?? [])] }
    },
  } satisfies Partial<Handlers>
}
