import { isAuthText } from '../failover/failure-text.ts'
import { readProviderError, scrubSecrets } from '../failover/provider-error.ts'
import type { ProviderRow } from './provider-list.ts'

export type KeyCheck =
  | { readonly state: 'ok' }
  /** The provider answered and refused the key. */
  | { readonly state: 'refused'; readonly why: string }
  /** The key could not be tested. */
  | { readonly state: 'unreachable'; readonly why: string }

export interface KeyCheckDeps {
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 10_000

/** Tests a key with one real request, the cheapest one that requires a valid key. Never throws. */
export async function checkKey(row: ProviderRow, key: string, deps: KeyCheckDeps): Promise<KeyCheck> {
  if (row.wire === 'demo') return { state: 'ok' }
  if (row.problem !== null) return { state: 'unreachable', why: row.problem }
  if (key.trim() === '' || /[\s\p{Cc}]|[^\x20-\x7e]/u.test(key.trim()))
    return { state: 'refused', why: 'A key is one line of letters, digits and symbols.' }
  const ask = (path: string, init: RequestInit) => answerOf(row, path, init, key.trim(), deps)
  const list = await ask(listPath(row), { headers: headersOf(row, key.trim()) })
  if (list.check.state !== 'ok' || row.wire !== 'openai-compatible' || row.id === 'openrouter') return list.check
  // Many servers list their models without a key. Then only a model's answer shows that the key is valid.
  const open = await ask(listPath(row), {})
  const model = open.check.state === 'ok' ? firstModel(open.body) : null
  if (model === null) return list.check
  const body = JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  const headers = { ...headersOf(row, key.trim()), 'content-type': 'application/json' }
  return (await ask('/chat/completions', { method: 'POST', headers, body })).check
}

function listPath(row: ProviderRow): string {
  if (row.id === 'openrouter') return '/key'
  return row.wire === 'google' ? '/models?pageSize=1' : '/models'
}

function headersOf(row: ProviderRow, key: string): Record<string, string> {
  if (row.wire === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return row.wire === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

interface Answer {
  readonly check: KeyCheck
  readonly body: string
}

async function answerOf(
  row: ProviderRow,
  path: string,
  init: RequestInit,
  key: string,
  deps: KeyCheckDeps,
): Promise<Answer> {
  const signal = AbortSignal.timeout(deps.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    const response = await deps.fetch(`${row.baseUrl.replace(/\/+$/, '')}${path}`, {
      ...init,
      redirect: 'error',
      signal,
    })
    const body = await response.text()
    return { body, check: judge(response.status, body, key, deps.now()) }
  } catch (error) {
    const why = signal.aborted
      ? 'The provider did not answer in time.'
      : readProviderError(error, deps.now(), [key]).text
    return { body: '', check: { state: 'unreachable', why: scrubSecrets(why, [key]) } }
  }
}

function judge(statusCode: number, responseBody: string, key: string, now: number): KeyCheck {
  if (statusCode < 400) return { state: 'ok' }
  const { text, words } = readProviderError({ statusCode, responseBody }, now, [key])
  const why = scrubSecrets(text === '' ? `The provider answered ${statusCode}.` : text, [key])
  // A restricted key may not list models and can still be valid for calls.
  if (statusCode === 403 && /scope|insufficient permission/i.test(words)) return { state: 'ok' }
  if (statusCode === 401 || statusCode === 403 || isAuthText(words)) return { state: 'refused', why }
  return statusCode === 402 ? { state: 'refused', why } : { state: 'unreachable', why }
}

function firstModel(body: string): string | null {
  try {
    const { data } = JSON.parse(body) as { data?: { id?: unknown }[] }
    const id = data?.[0]?.id
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
