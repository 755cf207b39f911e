import { type Methods, method, Refusal } from './test-gateway-method.ts'
import type { Json } from './test-recordings.ts'
import type { VersionFacts } from './test-version-facts.ts'

const PER_MS = 60_000

/** A Gateway's settings. Every write must name the hash of the version that it changes. */
export interface TestConfig {
  value: Json
  readonly methods: Methods
}

export function createTestConfig(facts: VersionFacts, broadcast: (event: string, payload: Json) => void): TestConfig {
  const config: { value: Json; methods: Methods } = { value: { gateway: { mode: 'local' } }, methods: {} }
  const patchedAt: number[] = []
  let revision = 1
  const hash = () => `hmac-sha256:v1:${revision}`
  const methods: Methods = {
    'config.get': method('read', '', () => ({
      path: '<dir>/state/openclaw.json',
      exists: true,
      valid: true,
      parsed: config.value,
      config: config.value,
      hash: hash(),
      issues: [],
    })),
    'config.patch': method('admin', 'raw! baseHash replacePaths restartDelayMs note', (params) => {
      const { raw, baseHash, replacePaths = [] } = params as { raw: string; baseHash?: string; replacePaths?: string[] }
      limitRate(patchedAt, facts.patchesPerMinute)
      const patch = JSON.parse(raw) as Json
      if (baseHash === undefined) throw new Refusal(facts.baseHashRequired(leafOf(patch)))
      if (baseHash !== hash()) throw new Refusal('config changed since last load; re-run config.get and retry')
      const shorter = shorterArrays(config.value, patch, '').filter((path) => !replacePaths.includes(path))
      if (shorter.length > 0)
        throw new Refusal(
          `config.patch would remove entries from array path(s): ${shorter.join(', ')}. Pass replacePaths to replace them.`,
        )
      const next = merged(config.value, patch) as Json
      if (JSON.stringify(next) === JSON.stringify(config.value)) return { ok: true, noop: true, changedPaths: [] }
      config.value = next
      revision += 1
      broadcast('config.changed', { path: '<dir>/state/openclaw.json', hash: hash(), ts: Date.now() })
      broadcast('chat.metadata.changed', {})
      return { ok: true, hash: hash(), config: next, changedPaths: Object.keys(patch) }
    }),
  }
  return Object.assign(config, { methods })
}

/** Counts writes without a change too. */
function limitRate(patchedAt: number[], most: number): void {
  const now = Date.now()
  while (patchedAt.length > 0 && patchedAt[0]! <= now - PER_MS) patchedAt.shift()
  if (patchedAt.length >= most)
    throw new Refusal('rate limit exceeded for config.patch; retry after 60s', {
      code: 'UNAVAILABLE',
      retryable: true,
      retryAfterMs: PER_MS,
      details: { method: 'config.patch', limit: `${most} per 60s` },
    })
  patchedAt.push(now)
}

/** The path of the first change in a patch. */
function leafOf(patch: unknown): string {
  const [first] = isRecord(patch) ? Object.entries(patch) : []
  if (!first) return ''
  const below = leafOf(first[1])
  return below === '' ? first[0] : `${first[0]}.${below}`
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = merged(result[name], value)
  }
  return result
}

function shorterArrays(target: unknown, patch: unknown, path: string): string[] {
  if (Array.isArray(target)) {
    const keeps = Array.isArray(patch) && target.every((entry) => patch.includes(entry))
    return keeps ? [] : [path]
  }
  if (!isRecord(target) || (patch !== null && !isRecord(patch))) return []
  const names = patch === null ? Object.keys(target) : Object.keys(patch)
  return names.flatMap((name) =>
    shorterArrays(target[name], patch === null ? null : patch[name], path === '' ? name : `${path}.${name}`),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
