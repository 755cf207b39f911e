import type { OperationOutput } from '@clawboo/api/client'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Handlers } from '../operation-handler.ts'

type RuntimeInfo = OperationOutput<'listRuntimes'>['runtimes'][number]

export function runtimeRoutes({ infos, runtimes }: { infos: readonly RuntimeInfo[]; runtimes: RuntimeRegistry }) {
  return {
    listRuntimes: async () => ({ runtimes: [...infos] }),
    listRuntimeModels: async ({ params }) => ({
      models: [...((await runtimes.get(params.runtimeId).listModels?.()) ?? [])],
    }),
  } satisfies Partial<Handlers>
}
