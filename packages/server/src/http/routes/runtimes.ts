import type { OperationOutput } from '@clawboo/api/client'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Handlers } from '../operation-handler.ts'

type RuntimeInfo = OperationOutput<'listRuntimes'>['runtimes'][number]

export interface RuntimeRouteDependencies {
  readonly runtimeInfos: readonly RuntimeInfo[]
  readonly runtimes: RuntimeRegistry
}

export function runtimeRoutes({ runtimeInfos, runtimes }: RuntimeRouteDependencies) {
  return {
    listRuntimes: async () => ({ runtimes: [...runtimeInfos] }),
    listRuntimeModels: async ({ params }) => ({
      models: [...((await runtimes.get(params.runtimeId).listModels?.()) ?? [])],
    }),
  } satisfies Partial<Handlers>
}
