import { ClawbooError, createInOrder } from '@clawboo/core'
import type {
  KeyCheck,
  ModelDefaults,
  ModelProvider,
  ModelProviders,
  OwnProvider,
  ProvidedModel,
} from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { createModels, type Models } from './models/models.ts'
import type { ModelRow } from './models/providers/known-models.ts'
import { type ProviderRow, providerRows } from './models/providers/provider-list.ts'
import type { ModelsSettings, ProviderState } from './models/providers/provider-reader.ts'

/** The models of this server, and the providers, keys and defaults as the page shows and changes them. */
export function openModels(host: IntegrationHost): {
  readonly models: Models
  readonly modelProviders: ModelProviders
} {
  const settings = storedSettings(host)
  const listeners = new Set<() => void>()
  const models = createModels({
    readSecret: host.secrets.read,
    settings: settings.read,
    now: host.now,
    cooldownsChanged() {
      for (const listener of listeners) listener()
    },
  })
  return {
    models,
    modelProviders: {
      list: async () => (await models.list()).map((state) => providerOf(state, models)),
      ...providerKeys(host, models),
      ...ownProviders(host, models, settings),
      defaults: async () => defaultsOf(await settings.read()),
      async setDefaults(patch) {
        for (const ref of [
          patch.defaultModel,
          ...(patch.fallbackModels ?? []),
          ...Object.values(patch.aliases ?? {}),
        ]) {
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
      findLocal: () => findLocal(models),
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  }
}

function providerKeys(host: IntegrationHost, models: Models): Pick<ModelProviders, 'check' | 'storeKey' | 'removeKey'> {
  const secretOf = async (providerId: string): Promise<string> => {
    const { row } = await wantState(models, providerId)
    if (row.secretName !== null) return row.secretName
    throw new ClawbooError('request_invalid', `${row.label} does not use a key`)
  }
  return {
    async check(providerId) {
      const state = await wantState(models, providerId)
      const key = state.row.secretName === null ? '' : await host.secrets.read(state.row.secretName)
      if (state.row.needsKey && key === null) return { result: 'refused', detail: 'no key is stored' }
      if (state.row.isLocal) return { result: state.isUsable ? 'ok' : 'unreachable', detail: state.problem }
      return checked(await models.checkKey(providerId, key ?? ''))
    },
    async storeKey(providerId, key, storeAnyway) {
      const name = await secretOf(providerId)
      const check = checked(await models.checkKey(providerId, key.trim()))
      const stored = check.result === 'ok' || storeAnyway
      if (stored) {
        await host.secrets.store(name, key.trim())
        models.clearCooldowns(providerId)
      }
      return { stored, check }
    },
    removeKey: async (providerId) => host.secrets.remove(await secretOf(providerId)),
  }
}

function ownProviders(
  host: IntegrationHost,
  models: Models,
  settings: StoredSettings,
): Pick<ModelProviders, 'save' | 'remove'> {
  return {
    async save(providerId, provider) {
      if (isBuiltIn(providerId)) throw builtIn(providerId)
      const { problem } = providerRows({ [providerId]: settingsOf(provider) }).find(({ id }) => id === providerId)!
      if (problem !== null) throw new ClawbooError('request_invalid', problem)
      await settings.change((before) => ({
        ...before,
        providers: { ...before.providers, [providerId]: settingsOf(provider) },
      }))
      return providerOf(await wantState(models, providerId), models)
    },
    async remove(providerId) {
      if (isBuiltIn(providerId)) throw builtIn(providerId)
      const { row } = await wantState(models, providerId)
      if (row.secretName !== null) await host.secrets.remove(row.secretName)
      await settings.change((before) => {
        const { [providerId]: _, ...providers } = before.providers
        return { ...before, providers }
      })
    },
  }
}

async function wantState(models: Models, providerId: string): Promise<ProviderState> {
  const state = (await models.list()).find(({ row }) => row.id === providerId)
  if (state) return state
  throw new ClawbooError('provider_not_found', `there is no provider "${providerId}"`, { details: { providerId } })
}

async function findLocal(models: Models) {
  const local = (await models.list()).filter(({ row }) => row.isLocal)
  return local.map(({ row, isUsable, problem, models: found }) => ({
    id: row.id,
    label: row.label,
    found: isUsable,
    detail: isUsable ? `${found.length} ${found.length === 1 ? 'model' : 'models'} at ${row.baseUrl}` : problem,
    models: found.map(({ id }) => `${row.id}/${id}`),
  }))
}

const SETTING = 'models'
const NOTHING_SET: ModelsSettings = { providers: {}, aliases: {}, defaultModel: null, fallbacks: [] }

type StoredSettings = ReturnType<typeof storedSettings>

/** A person's model settings; everything has a default. Only this object writes them, so they are read once. */
function storedSettings({ settings }: IntegrationHost) {
  let known: ModelsSettings | null = null
  const inOrder = createInOrder()
  const read = async (): Promise<ModelsSettings> => {
    known ??= { ...NOTHING_SET, ...(await settings.get<Partial<ModelsSettings>>(SETTING)) }
    return known
  }
  return {
    read,
    change: (next: (before: ModelsSettings) => ModelsSettings) =>
      inOrder(async () => {
        const changed = next(await read())
        // Forget the cached value first: even a failed write may have reached the disk.
        known = null
        await settings.set(SETTING, changed)
        known = changed
      }),
  }
}

function providerOf({ row, key, problem, models: found }: ProviderState, models: Models): ModelProvider {
  const resting = cooldownOf(models, row.id)
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
    models: found.map((model) => providedModel(row, model)),
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

function cooldownOf(models: Models, providerId: string): string | null {
  const cooldown = models.cooldowns().find(({ provider, model }) => provider === providerId && model === null)
  return cooldown ? `Paused until ${new Date(cooldown.until).toISOString()} after failures` : null
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
  return new ClawbooError('provider_built_in', `"${providerId}" is built in and cannot be changed`, {
    details: { providerId },
  })
}
