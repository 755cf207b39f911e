import { join } from 'node:path'

export type JsonObject = { [key: string]: unknown }

export interface GatewayPlace {
  readonly dir: string
  readonly port: number
  readonly token: string
  /** The origin of the scripted model. */
  readonly modelUrl: string
  /** Of the Gateway. */
  readonly version: string
}

/** Per million tokens, in dollars. */
export const MODEL_PRICE = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 } as const

/** The minimum that a Gateway needs to answer, without plugins, jobs, outside calls or background model calls. */
export function leanConfig({ dir, port, token, modelUrl, version }: GatewayPlace): JsonObject {
  const model = (id: string) => ({ id, name: id, contextWindow: 128_000, maxTokens: 4096, cost: MODEL_PRICE })
  return {
    gateway: {
      mode: 'local',
      port,
      bind: 'loopback',
      auth: { mode: 'token', token },
      controlUi: { enabled: false },
    },
    logging: { file: join(dir, 'gateway.log') },
    update: { checkOnStart: false },
    discovery: { mdns: { mode: 'off' } },
    cron: { enabled: false },
    browser: { enabled: false },
    plugins: { enabled: false, slots: { memory: 'none' } },
    tools: { toolSearch: false },
    models: {
      mode: 'replace',
      // Older releases refuse settings they do not know.
      ...(version.startsWith('2026.5.') ? {} : { catalogRefresh: { enabled: false } }),
      providers: {
        scripted: {
          baseUrl: `${modelUrl}/v1`,
          apiKey: 'sk-local',
          api: 'openai-completions',
          models: [model('boo'), model('other')],
        },
      },
    },
    agents: {
      defaults: {
        model: { primary: 'scripted/boo' },
        workspace: join(dir, 'workspace'),
        skipBootstrap: true,
        heartbeat: { every: '0m' },
      },
    },
  }
}

/** Applies a JSON merge patch to a copy of `target`: null removes. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged: JsonObject = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value
  return merged
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
