import type { RefContext } from '../model-ref.ts'
import { discoverLocal, type LocalServer } from './discover-local.ts'
import { type ProviderRow, providerRows } from './provider-list.ts'
import { type ModelsSettings, type ProviderState, providerState, refContext, withDiscovered } from './provider-state.ts'

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

/** Combines settings, keys and local servers. */
export interface ProviderReader {
  all(): Promise<readonly ProviderState[]>
  /** null = no such provider. */
  one(id: string): Promise<ProviderWithKey | null>
  /** The models of a provider, with or without a key; null = no such provider. */
  models(id: string): Promise<Pick<ProviderState, 'row' | 'models'> | null>
  context(): Promise<RefContext>
}

/** How long the list of models of a local server is cached. */
const DISCOVERY_MS = 30_000

export function createProviderReader(deps: ProviderReaderDeps): ProviderReader {
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
    all: async () => statesIn(await deps.settings()),
    async one(id) {
      const settings = await deps.settings()
      const row = rowIn(settings, id)
      return row === undefined ? null : read(row, settings)
    },
    async models(id) {
      const row = rowIn(await deps.settings(), id)
      return row === undefined ? null : { row, models: withDiscovered(row.models, await localServer(row)) }
    },
    async context() {
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
