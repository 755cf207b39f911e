import type { ProviderSettings } from '../../executor/runtimes/provider-settings.ts'
import type { DemoTeam } from '../../registry/demo-team.ts'
import type { Handlers } from '../app.ts'

export function providerRoutes({
  providers,
  makeDemoTeam,
}: {
  providers: ProviderSettings
  makeDemoTeam: () => Promise<DemoTeam>
}) {
  return {
    async listProviders() {
      const [list, defaults] = await Promise.all([providers.list(), providers.defaults()])
      return { providers: [...list], defaults, demoModel: providers.demoModel }
    },
    saveProvider: ({ params, body }) => providers.save(params.providerId, body),
    removeProvider: ({ params }) => providers.remove(params.providerId).then(() => undefined),
    checkProviderKey: ({ params }) => providers.check(params.providerId),
    storeProviderKey: ({ params, body }) => providers.storeKey(params.providerId, body.key, body.storeAnyway ?? false),
    removeProviderKey: ({ params }) => providers.removeKey(params.providerId).then(() => undefined),
    setModelDefaults: ({ body }) => providers.setDefaults(body),
    findLocalPrograms: async () => ({ programs: [...(await providers.findLocal())] }),
    makeDemoTeam,
  } satisfies Partial<Handlers>
}
