import { ClawbooError } from '@clawboo/core'
import type {
  KeyCheck,
  ModelDefaults,
  ModelProvider,
  ModelProviders,
  OwnProvider,
  ProvidedModel,
} from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import type { Models } from './models/models.ts'
import type { ModelRow } from './models/providers/known-models.ts'
import { type ProviderRow, providerRows } from './models/providers/provider-list.ts'
import type { ModelsSettings, ProviderState } from './models/providers/provider-state.ts'
import type { StoredModelsSettings } from './models-settings.ts'

/** Providers, keys and defaults for the page. */
export function createModelProviders(
  host: IntegrationHost,
  models: Models,
  settings: StoredModelsSettings,
): Omit<ModelProviders, 'onChange'> {
  const wantState = async (providerId: string): Promise<ProviderState> => {
    const state = (await models.list()).find(({ row }) => row.id === providerId)
    if (state) return state
    throw new ClawbooError('provider_not_found', `there is no provider "${providerId}"`, { details: { providerId } })
  }
  const secretOf = ({ row }: ProviderState): string => {
    if (row.secretName !== null) return row.secretName
    throw new ClawbooError('request_invalid', `${row.label} takes no key`)
  }
  const shown = (state: ProviderState) => providerOf(state, restOf(models, state.row.id))

  return {
    list: async () => (await models.list()).map(shown),
    async check(providerId) {
      const state = await wantState(providerId)
      const key = state.row.secretName === null ? '' : await host.secrets.read(state.row.secretName)
      if (state.row.needsKey && key === null) return { result: 'refused', detail: 'no key is stored' }
      if (state.row.isLocal) return { result: state.isUsable ? 'ok' : 'unreachable', detail: state.problem }
      return checked(await models.checkKey(providerId, key ?? ''))
    },
    async storeKey(providerId, key, storeAnyway) {
      const name = secretOf(await wantState(providerId))
      const check = checked(await models.checkKey(providerId, key.trim()))
      const stored = check.result === 'ok' || storeAnyway
      if (stored) {
        await host.secrets.store(name, key.trim())
        models.clearCooldowns(providerId)
      }
      return { stored, check }
    },
    async removeKey(providerId) {
      await host.secrets.remove(secretOf(await wantState(providerId)))
    },
    async save(providerId, provider) {
      if (isBuiltIn(providerId)) throw builtIn(providerId)
      const { problem } = providerRows({ [providerId]: settingsOf(provider) }).find(({ id }) => id === providerId)!
      if (problem !== null) throw new ClawbooError('request_invalid', problem)
      await settings.change((before) => ({
        ...before,
        providers: { ...before.providers, [providerId]: settingsOf(provider) },
      }))
      return shown(await wantState(providerId))
    },
    async remove(providerId) {
      if (isBuiltIn(providerId)) throw builtIn(providerId)
      const { row } = await wantState(providerId)
      if (row.secretName !== null) await host.secrets.remove(row.secretName)
      await settings.change((before) => {
        const { [providerId]: _, ...providers } = before.providers
        return { ...before, providers }
      })
    },
    defaults: async () => defaultsOf(await settings.read()),
    async setDefaults(patch) {
      for (const ref of [patch.defaultModel, ...(patch.fallbackModels ?? []), ...Object.values(patch.aliases ?? {})]) {
        const resolved = ref ? await models.resolve(ref) : null
        if (resolved && !resolved.ok) throw new ClawbooError('model_unknown', resolved.message)
      }
      await settings.change((before) => ({
        ...before,
        ...(patch.defaultModel === undefined ? {} : { defaultModel: patch.defaultModel }),
        ...(patch.fallbackModels === undefined ? {} : { fallbacks: patch.fallbackModels }),
        ...(patch.aliases === undefined ? {} : { aliases: patch.aliases }),
      }))
      return defaultsOf(await settings.read())
    },
    async findLocal() {
      const local = (await models.list()).filter(({ row }) => row.isLocal)
      return local.map(({ row, isUsable, problem, models: found }) => ({
        id: row.id,
        label: row.label,
        found: isUsable,
        detail: isUsable ? `${found.length} ${found.length === 1 ? 'model' : 'models'} at ${row.baseUrl}` : problem,
        models: found.map(({ id }) => `${row.id}/${id}`),
      }))
    },
  }
}

function providerOf({ row, key, problem, models }: ProviderState, resting: string | null): ModelProvider {
  const needsKey = problem !== null && row.needsKey && key !== 'present'
  return {
    id: row.id,
    label: row.label,
    kind: row.wire,
    builtIn: isBuiltIn(row.id),
    scripted: !row.isAi,
    needsKey: row.needsKey,
    keyStored: key === 'present' || key === 'unreadable',
    baseUrl: row.baseUrl === '' ? null : row.baseUrl,
    keyPage: row.keyPage,
    state: needsKey ? 'needs-key' : problem !== null ? 'unreachable' : resting !== null ? 'cooling' : 'ready',
    detail: problem ?? resting,
    models: models.map((model) => providedModel(row, model)),
  }
}

function providedModel(row: ProviderRow, { id, contextWindow, prices }: ModelRow): ProvidedModel {
  return {
    ref: `${row.id}/${id}`,
    id,
    label: id,
    contextWindowTokens: contextWindow,
    price: prices && { inputUsd: prices.input, outputUsd: prices.output },
  }
}

function restOf(models: Models, providerId: string): string | null {
  const rest = models.cooldowns().find(({ provider, model }) => provider === providerId && model === null)
  return rest ? `Rests until ${new Date(rest.until).toISOString()} after failures` : null
}

function checked(check: Awaited<ReturnType<Models['checkKey']>>): KeyCheck {
  return check.state === 'ok' ? { result: 'ok', detail: null } : { result: check.state, detail: check.why }
}

function settingsOf({ label, baseUrl, models = [] }: OwnProvider) {
  return {
    label,
    baseUrl,
    models: models.map(({ id, contextWindowTokens }) => ({
      id,
      ...(contextWindowTokens === undefined ? {} : { contextWindow: contextWindowTokens }),
    })),
  }
}

function defaultsOf({ defaultModel, fallbacks, aliases }: ModelsSettings): ModelDefaults {
  return { defaultModel, fallbackModels: fallbacks, aliases }
}

function isBuiltIn(providerId: string): boolean {
  return providerRows({}).some(({ id }) => id === providerId)
}

function builtIn(providerId: string): ClawbooError {
  return new ClawbooError('provider_built_in', `"${providerId}" comes with the product and cannot be changed`, {
    details: { providerId },
  })
}
