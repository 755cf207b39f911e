import { ClawbooError } from '@clawboo/core'
import type { ModelProviders } from '@clawboo/core/executor'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'

/** The model providers as a person sets them up: every change is audited and told. Keys go through and are kept by nobody here. */
export type ProviderSettings = Omit<ModelProviders, 'onChange'>

/** `providers` is null when no integration brings any. */
export function createProviderSettings(
  providers: ModelProviders | null,
  record: RecordChange,
  log: Log,
): ProviderSettings {
  const told = (action: string, subject: string, detail?: unknown) =>
    record({ action, subject }, async () => ({ result: undefined, events: [{ type: 'providers-changed' }], detail }))
  const tell = () =>
    record({ action: null }, async () => ({ result: undefined, events: [{ type: 'providers-changed' }] }))
  providers?.onChange(() => {
    tell().catch((error: unknown) => log.error('a change of a provider could not be told', { error }))
  })
  const want = (providerId: string) => {
    if (providers) return providers
    throw new ClawbooError('provider_not_found', `there is no provider "${providerId}"`, { details: { providerId } })
  }

  return {
    list: async () => (await providers?.list()) ?? [],
    check: async (providerId) => want(providerId).check(providerId),
    async storeKey(providerId, key, storeAnyway) {
      const { stored, check } = await want(providerId).storeKey(providerId, key, storeAnyway)
      if (stored) await told('provider.store-key', providerId, { check: check.result })
      // A provider that repeats the key in its refusal must not bring it back to the page.
      return { stored, check: { ...check, detail: check.detail?.replaceAll(key, '[the key]') ?? null } }
    },
    async removeKey(providerId) {
      await want(providerId).removeKey(providerId)
      await told('provider.remove-key', providerId)
    },
    async save(providerId, provider) {
      const saved = await want(providerId).save(providerId, provider)
      await told('provider.save', providerId, { label: provider.label })
      return saved
    },
    async remove(providerId) {
      await want(providerId).remove(providerId)
      await told('provider.remove', providerId)
    },
    defaults: async () => (await providers?.defaults()) ?? { defaultModel: null, fallbackModels: [], aliases: {} },
    async setDefaults(patch) {
      if (!providers) throw new ClawbooError('model_unknown', 'there is no model to choose from')
      const defaults = await providers.setDefaults(patch)
      await told('models.set-defaults', 'models', { fields: Object.keys(patch) })
      return defaults
    },
    findLocal: async () => (await providers?.findLocal()) ?? [],
    get demoModel() {
      return providers?.demoModel ?? null
    },
  }
}
