import type { RefContext } from '../model-ref.ts'
import type { LocalServer } from './discover-local.ts'
import { FREE, type ModelRow } from './known-models.ts'
import type { ProviderRow, ProviderSettings } from './provider-list.ts'

/** A person's settings for models. */
export interface ModelsSettings {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  /** Aliases and their refs. */
  readonly aliases: Readonly<Record<string, string>>
  readonly defaultModel: string | null
  readonly fallbacks: readonly string[]
}

/** The current state of a provider, for the settings page and for resolving names. */
export interface ProviderState {
  readonly row: ProviderRow
  readonly key: 'present' | 'missing' | 'unreadable' | 'not_needed'
  /** Whether its models can be called. */
  readonly isUsable: boolean
  /** The reason for a person; null = usable. */
  readonly problem: string | null
  /** Known and discovered models. */
  readonly models: readonly ModelRow[]
}

export function providerState(
  row: ProviderRow,
  key: 'present' | 'missing' | 'unreadable',
  local: LocalServer | null,
  isInSettings: boolean,
): ProviderState {
  const models = withDiscovered(row.models, local)
  const problem = problemOf(row, key, local, isInSettings)
  const shown = row.secretName === null ? 'not_needed' : key
  return { row, key: shown, isUsable: problem === null, problem, models }
}

function problemOf(row: ProviderRow, key: string, local: LocalServer | null, isInSettings: boolean): string | null {
  if (row.problem !== null) return row.problem
  if (row.secretName !== null && key === 'unreadable')
    return `The stored key of ${row.label} cannot be read: enter it again`
  if (row.needsKey && key === 'missing') return `${row.label} has no key yet: add one in the settings`
  if (row.isLocal && local?.found === false && !isInSettings) return `${row.label} does not answer at ${row.baseUrl}`
  return null
}

export function withDiscovered(models: readonly ModelRow[], local: LocalServer | null): readonly ModelRow[] {
  if (local === null || !local.found) return models
  const more = local.models.filter((id) => !models.some((model) => model.id === id))
  return [...models, ...more.map((id): ModelRow => ({ id, contextWindow: null, prices: FREE }))]
}

/** The data for resolving names. Contains only usable providers, in order. */
export function refContext(states: readonly ProviderState[], settings: ModelsSettings): RefContext {
  const unusable = states.flatMap(({ row, problem }) => (problem === null ? [] : [[row.id, problem] as const]))
  return {
    aliases: settings.aliases,
    defaultModel: settings.defaultModel,
    unusable: Object.fromEntries(unusable),
    providers: states
      .filter(({ isUsable }) => isUsable)
      .map(({ row, models }) => ({ id: row.id, models: models.map((model) => model.id), closed: row.closed })),
  }
}
