import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { AnswerParts } from './answer-parts.ts'
import { classifyFailure, failure } from './classify-failure.ts'
import { countUsage, estimateUsage, isCounted } from './count-usage.ts'
import type { ModelRow } from './known-models.ts'
import type { ModelDone, ModelEvent, ModelFailed, ModelFailure, ModelRequest } from './model-request.ts'
import type { ProviderRow } from './provider-list.ts'
import { type ProviderPrompt, toProviderPrompt } from './to-provider-prompt.ts'

/** A model that can be called, with what is known about it. */
export interface CallTarget {
  readonly model: LanguageModelV4
  readonly row: ProviderRow
  readonly modelRow: ModelRow
  readonly key: string | null
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly now: () => number
  /** Silence after which the call fails. */
  readonly idleMs?: number
  readonly dropThinking?: boolean
}

/** An answer without a clean end. Half of it may be there, also half of a tool call. */
const BROKE_OFF = { code: 'ECONNRESET', message: 'the answer broke off before its end' }

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/**
 * One call: one request, deltas, then exactly one `done` or `failed`. Never throws and never retries. A reader that
 * leaves early closes the connection. Calls of tools stand only in `done`, so a broken answer has none to run.
 */
export async function* callModel(
  target: CallTarget,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelEvent, void> {
  const prompt = toProviderPrompt(request, promptTarget(target, options))
  if (!prompt.ok) return yield failed(failure('format', `The request is not in order: ${prompt.problem}.`), null)
  const silence = watchSilence(options.idleMs ?? target.row.idleMs)
  const answer = new AnswerParts(prompt.callIds)
  const fail = (error: unknown): ModelFailed => {
    const secrets = target.key === null ? [] : [target.key]
    const idleMs = silence.fired ? silence.limitMs : null
    return failed(
      classifyFailure(error, { aborted: options.signal.aborted, idleMs, now: options.now(), secrets }),
      answer,
    )
  }
  if (options.signal.aborted) return yield fail(null)
  // One signal per call: a listener on the run's own signal would stay until the run is collected.
  const abortSignal = AbortSignal.any([options.signal, silence.signal])
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    const { stream } = await silence.during(target.model.doStream(callOptions(prompt, request, abortSignal)))
    reader = stream.getReader()
    const warnings: string[] = []
    for (;;) {
      const { done, value: part } = await silence.during(reader.read())
      if (done) return yield fail(BROKE_OFF)
      if (part.type === 'error') {
        // An event that the package does not know: whether the answer is whole, the finish says.
        if (isUnreadEvent(part.error)) continue
        return yield fail(part.error)
      }
      if (part.type === 'finish') return yield finished(part, answer, warnings, target, request, fail)
      if (part.type === 'stream-start') warnings.push(...part.warnings.map(warningText))
      const event = answer.take(part)
      if (event !== null) yield event
    }
  } catch (error) {
    yield fail(error)
  } finally {
    silence.stop()
    reader?.cancel().catch(() => undefined)
  }
}

function finished(
  part: Finish,
  answer: AnswerParts,
  warnings: readonly string[],
  target: CallTarget,
  request: ModelRequest,
  fail: (error: unknown) => ModelFailed,
): ModelDone | ModelFailed {
  const { unified, raw } = part.finishReason
  if (unified === 'interrupted' || unified === 'error' || (unified === 'tool-calls' && !answer.hasCall))
    return fail(BROKE_OFF)
  if (unified === 'length') answer.dropBadCalls()
  const pricing = { prices: target.modelRow.prices, reportsCost: target.row.reportsCost }
  const content = answer.content()
  const usage = isCounted(part.usage) ? countUsage(part.usage, pricing) : estimateUsage(request, content, pricing)
  const read = usage.input + usage.cacheRead + usage.cacheWrite
  if (isSilentOverflow(unified, raw, content.length > 0, read, target.modelRow.contextWindow))
    return { ...failed(failure('context_overflow', 'The conversation is too long for this model.'), answer), usage }
  return {
    type: 'done',
    content,
    // Some servers say `stop` together with calls, so the calls decide.
    stopReason: answer.hasCall ? 'toolUse' : unified === 'length' ? 'length' : 'stop',
    usage,
    badArguments: answer.badArguments,
    isRefusal: unified === 'content-filter',
    warnings,
  }
}

/** Some providers cut a prompt that is too long, or answer it with nothing, and call that a success. */
function isSilentOverflow(
  reason: string,
  raw: string | undefined,
  saidAny: boolean,
  read: number,
  window: number | null,
) {
  if (raw === 'model_context_window_exceeded' && !saidAny) return true
  if (window === null) return false
  return read > window || (reason === 'length' && !saidAny && read >= window * 0.99)
}

function promptTarget(target: CallTarget, options: CallOptions) {
  return {
    row: target.row,
    model: target.modelRow.id,
    takesImages: target.modelRow.takesImages ?? true,
    dropThinking: options.dropThinking ?? false,
  }
}

function callOptions(
  prompt: Extract<ProviderPrompt, { ok: true }>,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  return {
    prompt: prompt.prompt,
    abortSignal,
    providerOptions: prompt.providerOptions,
    ...(prompt.tools.length > 0 ? { tools: prompt.tools, toolChoice: { type: 'auto' } } : {}),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoning === undefined ? {} : { reasoning: request.reasoning }),
  }
}

function failed(why: ModelFailure, answer: AnswerParts | null): ModelFailed {
  return { type: 'failed', ...why, content: answer?.spoken() ?? [], usage: null }
}

function isUnreadEvent(error: unknown): boolean {
  const name = (error as { name?: unknown } | null)?.name
  return name === 'AI_JSONParseError' || name === 'AI_TypeValidationError'
}

function warningText(warning: {
  readonly type: string
  readonly feature?: string
  readonly details?: string
  readonly message?: string
}) {
  return (
    [warning.feature, warning.details ?? warning.message].filter((text) => text !== undefined).join(': ') ||
    warning.type
  )
}

/** Counts silence only while we wait: a slow reader of ours is no fault of the model. */
function watchSilence(limitMs: number) {
  const controller = new AbortController()
  let waiting = false
  let fired = false
  const timer = setTimeout(() => {
    if (!waiting) return
    fired = true
    controller.abort()
  }, limitMs)
  return {
    limitMs,
    signal: controller.signal,
    get fired() {
      return fired
    },
    async during<T>(work: PromiseLike<T>): Promise<T> {
      waiting = true
      timer.refresh()
      try {
        return await work
      } finally {
        waiting = false
      }
    },
    stop: () => clearTimeout(timer),
  }
}
