import type { LocalServer } from './discover-local.ts'
import { FREE, type ModelRow } from './known-models.ts'
import type { RefContext } from './model-ref.ts'
import type { ProviderRow, ProviderSettings } from './provider-list.ts'

/** What a person has set up about models. */
export interface ModelsSettings {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  /** Alias to ref. */
  readonly aliases: Readonly<Record<string, string>>
  readonly defaultModel: string | null
  readonly fallbacks: readonly string[]
  /** Only these may be chosen, when there are any. */
  readonly allowed?: readonly string[]
}

/** A provider as it stands now, for the settings page and for looking names up. */
export interface ProviderState {
  readonly row: ProviderRow
  readonly key: 'present' | 'missing' | 'unreadable' | 'not_needed'
  /** Whether its models may be called. */
  readonly isUsable: boolean
  /** Why not, in words for a person; null when usable. */
  readonly problem: string | null
  /** Known and discovered ones. */
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

/** What names are looked up in: usable providers only, in order. */
export function refContext(states: readonly ProviderState[], settings: ModelsSettings): RefContext {
  const unusable = states.flatMap(({ row, problem }) => (problem === null ? [] : [[row.id, problem] as const]))
  return {
    aliases: settings.aliases,
    defaultModel: settings.defaultModel,
    ...(settings.allowed === undefined ? {} : { allowed: settings.allowed }),
    unusable: Object.fromEntries(unusable),
    providers: states
      .filter(({ isUsable }) => isUsable)
      .map(({ row, models }) => ({ id: row.id, models: models.map((model) => model.id), closed: row.closed })),
  }
}
