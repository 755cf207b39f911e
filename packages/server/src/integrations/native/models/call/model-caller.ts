import { createHash } from 'node:crypto'
import { classifyFailure, failure } from '../failover/classify-failure.ts'
import { isBadThinkingText } from '../failover/failure-text.ts'
import type { ModelEvent, ModelFailed, ModelFailure, ModelRequest } from '../model-request.ts'
import { FREE, type ModelRow } from '../providers/known-models.ts'
import type { ProviderRow } from '../providers/provider-list.ts'
import type { ProviderState, ProviderWithKey } from '../providers/provider-reader.ts'
import { type CallTarget, callModel } from './call-model.ts'
import { createModelFactory, type ModelFactory } from './create-model.ts'

export interface ModelCallerDeps {
  readonly fetch: typeof fetch
  now(): number
  readonly demoWordDelayMs?: number
  readonly idleMs?: number
}

/** A model of a provider with a certain key. */
export interface CallSubject {
  readonly provider: string
  readonly model: string
  /** A fingerprint of the key. */
  readonly key: string
  /** null = no such provider. */
  readonly source: ProviderWithKey | null
}

/** Calls one model once. Never throws. Ends with exactly one `done` or `failed`. */
export type ModelCaller = (
  subject: CallSubject,
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncGenerator<ModelEvent, void>

const MAX_REMEMBERED = 1000

export function createModelCaller(deps: ModelCallerDeps): ModelCaller {
  const targets = createTargets(deps)
  /** Conversations whose model refused its own thinking. Their later calls leave the thinking out. */
  const withoutThinking = new Set<string>()

  return async function* call(subject, request, signal) {
    const { source } = subject
    if (source === null || !source.state.isUsable)
      return yield failed(failure('auth', `${source?.state.problem ?? `There is no provider "${subject.provider}"`}.`))
    const target = await targets.of(source, subject).catch((error: unknown) => failedSetup(error, subject, deps.now()))
    if ('type' in target) return yield target
    const memory = `${subject.provider}/${subject.model} ${request.cacheKey ?? ''}`
    const options = { signal, now: deps.now, ...(deps.idleMs === undefined ? {} : { idleMs: deps.idleMs }) }
    const dropThinking = withoutThinking.has(memory)
    for await (const event of callModel(target, request, { ...options, dropThinking })) {
      if (event.type !== 'failed' || dropThinking || !isBadThinking(event, request)) yield event
      else {
        remember(withoutThinking, memory)
        return yield* callModel(target, request, { ...options, dropThinking: true })
      }
    }
  }
}

const MAX_CACHED_MODELS = 100

/** Caches one package instance per provider, address and key, and one model per id: both are expensive to create. */
function createTargets(deps: ModelCallerDeps) {
  const factories = new Map<string, { readonly identity: string; readonly factory: Promise<ModelFactory> }>()
  return {
    async of({ state, secret }: ProviderWithKey, { key, model }: CallSubject): Promise<CallTarget> {
      const { row } = state
      const identity = `${row.wire} ${row.baseUrl} ${key}`
      let known = factories.get(row.id)
      if (known?.identity !== identity) {
        const delay = deps.demoWordDelayMs === undefined ? {} : { demoWordDelayMs: deps.demoWordDelayMs }
        known = {
          identity,
          factory: createModelFactory(row, { key: secret, fetch: deps.fetch, ...delay }).then(withCache),
        }
        factories.set(row.id, known)
      }
      return { model: (await known.factory)(model), row, modelRow: modelRowOf(state, model), key: secret }
    },
  }
}

function withCache(factory: ModelFactory): ModelFactory {
  const models = new Map<string, ReturnType<ModelFactory>>()
  return (modelId) => {
    const model = models.get(modelId) ?? factory(modelId)
    if (models.size >= MAX_CACHED_MODELS) models.clear()
    models.set(modelId, model)
    return model
  }
}

export const keyFingerprint = (key: string | null): string =>
  key === null ? 'none' : createHash('sha256').update(key).digest('hex').slice(0, 16)

/** The facts about a model, even if it is not listed. */
export function modelRowOf(state: Pick<ProviderState, 'row' | 'models'>, model: string): ModelRow {
  const known = state.models.find((row) => row.id === model)
  return known ?? unlistedModel(model, state.row)
}

export function unlistedModel(id: string, row: ProviderRow | null): ModelRow {
  return { id, contextWindow: null, prices: row?.isLocal ? FREE : null }
}

/** Whether a vendor refused its own earlier thinking: signatures expire, and histories are shortened. */
function isBadThinking(event: ModelFailed, request: ModelRequest): boolean {
  if (event.kind !== 'format' || event.status === null || !isBadThinkingText(event.message)) return false
  return request.messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'thinking' || part.providerOptions !== undefined),
  )
}

function remember(set: Set<string>, entry: string): void {
  if (set.size >= MAX_REMEMBERED) set.clear()
  set.add(entry)
}

function failedSetup(error: unknown, { source }: CallSubject, now: number): ModelFailed {
  const secrets = source?.secret ? [source.secret] : []
  return failed(classifyFailure(error, { aborted: false, now, secrets }))
}

function failed(problem: ModelFailure): ModelFailed {
  return { type: 'failed', ...problem, content: [], usage: null }
}
