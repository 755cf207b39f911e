import type { RefContext } from '../model-ref.ts'
import { discoverLocal, type LocalServer } from './discover-local.ts'
import { FREE, type ModelRow } from './known-models.ts'
import { type ProviderRow, type ProviderSettings, providerRows } from './provider-list.ts'

export interface ProviderReaderDeps {
  /** null = no key is stored. Rejects if the stored key cannot be read. */
  readSecret(name: string): Promise<string | null>
  settings(): ModelsSettings | Promise<ModelsSettings>
  now(): number
  readonly fetch: typeof fetch
}

export interface ProviderWithKey {
  readonly state: ProviderState
  readonly secret: string | null
}

export type ProviderReader = ReturnType<typeof createProviderReader>

/** How long the list of models of a local server is cached. */
const DISCOVERY_MS = 30_000

/** Combines settings, keys and local servers. */
export function createProviderReader(deps: ProviderReaderDeps) {
  const found = new Map<string, { readonly at: number; readonly server: Promise<LocalServer> }>()

  const discovered = (row: ProviderRow): Promise<LocalServer> => {
    const known = found.get(row.baseUrl)
    if (known !== undefined && deps.now() - known.at < DISCOVERY_MS) return known.server
    const server = discoverLocal(row.baseUrl, { fetch: deps.fetch })
    found.set(row.baseUrl, { at: deps.now(), server })
    return server
  }

  /** The rows of the newest settings, cached because every model call needs them several times. */
  let rows: { readonly of: ModelsSettings['providers']; readonly list: readonly ProviderRow[] } | null = null
  const rowsIn = ({ providers }: ModelsSettings): readonly ProviderRow[] => {
    if (rows?.of !== providers) rows = { of: providers, list: providerRows(providers) }
    return rows.list
  }

  const localServer = (row: ProviderRow) => (row.isLocal && row.problem === null ? discovered(row) : null)

  const read = async (row: ProviderRow, settings: ModelsSettings): Promise<ProviderWithKey> => {
    const [key, server] = await Promise.all([readKey(row, deps), localServer(row)])
    const state = providerState(row, key.state, server, Object.hasOwn(settings.providers, row.id))
    return { state, secret: key.secret }
  }

  const statesIn = async (settings: ModelsSettings) => {
    const rows = await Promise.all(rowsIn(settings).map((row) => read(row, settings)))
    return rows.map(({ state }) => state)
  }
  const rowIn = (settings: ModelsSettings, id: string) => rowsIn(settings).find((each) => each.id === id)

  return {
    all: async (): Promise<readonly ProviderState[]> => statesIn(await deps.settings()),
    /** null = no such provider. */
    async one(id: string): Promise<ProviderWithKey | null> {
      const settings = await deps.settings()
      const row = rowIn(settings, id)
      return row === undefined ? null : read(row, settings)
    },
    /** The models of a provider, with or without a key; null = no such provider. */
    async models(id: string): Promise<Pick<ProviderState, 'row' | 'models'> | null> {
      const row = rowIn(await deps.settings(), id)
      return row === undefined ? null : { row, models: withDiscovered(row.models, await localServer(row)) }
    },
    async context(): Promise<RefContext> {
      const settings = await deps.settings()
      return refContext(await statesIn(settings), settings)
    },
  }
}

async function readKey(row: ProviderRow, deps: Pick<ProviderReaderDeps, 'readSecret'>) {
  if (row.secretName === null) return { state: 'missing', secret: null } as const
  try {
    // A pasted key often ends with a line break, which is not allowed in a header.
    const secret = (await deps.readSecret(row.secretName))?.trim()
    return secret === undefined || secret === ''
      ? ({ state: 'missing', secret: null } as const)
      : ({ state: 'present', secret } as const)
  } catch {
    return { state: 'unreadable', secret: null } as const
  }
}

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

function providerState(
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

function withDiscovered(models: readonly ModelRow[], local: LocalServer | null): readonly ModelRow[] {
  if (local === null || !local.found) return models
  const more = local.models.filter((id) => !models.some((model) => model.id === id))
  return [...models, ...more.map((id): ModelRow => ({ id, contextWindow: null, prices: FREE }))]
}

/** The data for resolving names. Contains only usable providers, in order. */
function refContext(states: readonly ProviderState[], settings: ModelsSettings): RefContext {
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
