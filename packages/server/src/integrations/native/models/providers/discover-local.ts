/** A model server on this machine. */
export type LocalServer =
  | { readonly found: true; readonly kind: 'ollama' | 'openai-compatible'; readonly models: readonly string[] }
  | { readonly found: false }

const DEFAULT_TIMEOUT_MS = 500
const MOST_MODELS = 500

/** Checks for a model server at a base URL such as `http://127.0.0.1:11434/v1`. Never throws. */
export async function discoverLocal(
  baseUrl: string,
  deps: { readonly fetch: typeof fetch; readonly timeoutMs?: number },
): Promise<LocalServer> {
  const base = URL.parse(baseUrl)
  if (base === null) return { found: false }
  const signal = AbortSignal.timeout(deps.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const read = async (url: string, list: string, name: string) => {
    const response = await deps.fetch(url, { redirect: 'error', signal })
    return response.ok ? namesIn(await response.json(), list, name) : null
  }
  // No answer, or one that is not JSON, means that no model server is there.
  const [tags, list] = await Promise.all([
    read(new URL('/api/tags', base).href, 'models', 'name').catch(() => null),
    read(`${baseUrl.replace(/\/+$/, '')}/models`, 'data', 'id').catch(() => null),
  ])
  if (tags !== null) return { found: true, kind: 'ollama', models: tags }
  return list === null ? { found: false } : { found: true, kind: 'openai-compatible', models: list }
}

/** null = not the answer of a model server: another program may be listening on the port. */
function namesIn(body: unknown, list: string, name: string): string[] | null {
  const rows: unknown = (body as Record<string, unknown> | null)?.[list]
  if (!Array.isArray(rows)) return null
  return rows
    .slice(0, MOST_MODELS)
    .map((row: unknown) => (row as Record<string, unknown> | null)?.[name])
    .filter((id) => typeof id === 'string' && id !== '') as string[]
}
