import { ClawbooError } from '@clawboo/core'
import type { ModelProviders, ModelProvidersDefinition } from '@clawboo/core/executor'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'

/**
 * The settings of model providers. Every change is audited and sent to open pages. Keys pass through and are not stored
 * here.
 */
export type ProviderSettings = Omit<ModelProviders, 'onChange'> & Pick<ModelProvidersDefinition, 'demoModel'>

type Recorded = (action: string, subject: string, detail?: unknown) => Promise<void>

/** `definition` is null when no integration offers providers. */
export function createProviderSettings(
  definition: ModelProvidersDefinition | null,
  record: RecordChange,
  log: Log,
): ProviderSettings {
  const recorded: Recorded = (action, subject, detail) =>
    record({ action, subject }, async () => ({ result: undefined, events: [{ type: 'providers-changed' }], detail }))
  const announce = () => {
    record({ action: null }, async () => ({ result: undefined, events: [{ type: 'providers-changed' }] })).catch(
      (error: unknown) => log.error('a change of a provider was not announced', { error }),
    )
  }
  let loading: Promise<ModelProviders> | null = null
  const loadOnce = async (providers: ModelProvidersDefinition) => {
    try {
      const loaded = await providers.load()
      loaded.onChange(announce)
      return loaded
    } catch (error) {
      loading = null
      throw error
    }
  }
  const load = async () => {
    if (!definition) return null
    loading ??= loadOnce(definition)
    return loading
  }
  return { demoModel: definition?.demoModel ?? null, ...reads(load), ...writes(load, recorded) }
}

type Load = () => Promise<ModelProviders | null>

async function wantProviders(load: Load, providerId: string): Promise<ModelProviders> {
  const providers = await load()
  if (providers) return providers
  throw new ClawbooError('provider_not_found', `there is no provider "${providerId}"`, { details: { providerId } })
}

function reads(load: Load): Pick<ModelProviders, 'list' | 'check' | 'defaults' | 'findLocal'> {
  return {
    list: async () => (await (await load())?.list()) ?? [],
    check: async (providerId) => (await wantProviders(load, providerId)).check(providerId),
    defaults: async () => (await (await load())?.defaults()) ?? { defaultModel: null, fallbackModels: [], aliases: {} },
    findLocal: async () => (await (await load())?.findLocal()) ?? [],
  }
}

type Writes = 'storeKey' | 'removeKey' | 'save' | 'remove' | 'setDefaults'

function writes(load: Load, recorded: Recorded): Pick<ModelProviders, Writes> {
  return {
    async storeKey(providerId, key, storeAnyway) {
      const providers = await wantProviders(load, providerId)
      const { stored, check } = await providers.storeKey(providerId, key, storeAnyway)
      if (stored) await recorded('provider.store-key', providerId, { check: check.result })
      // A provider that repeats the key in its refusal must not send it back to the page.
      return { stored, check: { ...check, detail: check.detail?.replaceAll(key, '[the key]') ?? null } }
    },
    async removeKey(providerId) {
      await (await wantProviders(load, providerId)).removeKey(providerId)
      await recorded('provider.remove-key', providerId)
    },
    async save(providerId, provider) {
      const saved = await (await wantProviders(load, providerId)).save(providerId, provider)
      await recorded('provider.save', providerId, { label: provider.label })
      return saved
    },
    async remove(providerId) {
      await (await wantProviders(load, providerId)).remove(providerId)
      await recorded('provider.remove', providerId)
    },
    async setDefaults(patch) {
      const providers = await load()
      if (!providers) throw new ClawbooError('model_unknown', 'there is no model to choose from')
      const defaults = await providers.setDefaults(patch)
      await recorded('models.set-defaults', 'models', { fields: Object.keys(patch) })
      return defaults
    },
  }
}
