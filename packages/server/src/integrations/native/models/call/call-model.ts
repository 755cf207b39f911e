import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { classifyFailure, failure } from '../failover/classify-failure.ts'
import type { ModelDone, ModelEvent, ModelFailed, ModelFailure, ModelRequest } from '../model-request.ts'
import type { ModelRow } from '../providers/known-models.ts'
import type { ProviderRow } from '../providers/provider-list.ts'
import { AnswerParts } from './answer-parts.ts'
import { countUsage, estimateUsage, isCounted } from './count-usage.ts'
import { type ProviderPrompt, toProviderPrompt } from './to-provider-prompt.ts'

/** A callable model with its facts. */
export interface CallTarget {
  readonly model: LanguageModelV4
  readonly row: ProviderRow
  readonly modelRow: ModelRow
  readonly key: string | null
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly now: () => number
  /** The call fails after this much silence. */
  readonly idleMs?: number
  readonly dropThinking?: boolean
}

/** An answer without a proper end. It may contain half a text or half a tool call. */
const INTERRUPTED = { code: 'ECONNRESET', message: 'the answer was cut off before its end' }

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/**
 * Makes one model call: one request, deltas, then exactly one `done` or `failed`. Never throws and never retries. Stopping
 * the iteration early closes the connection. Only `done` contains tool calls, so an interrupted answer has none to run.
 */
export async function* callModel(
  target: CallTarget,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelEvent, void> {
  const prompt = toProviderPrompt(request, promptTarget(target, options))
  if (!prompt.ok) return yield failed(failure('format', `The request is invalid: ${prompt.problem}.`), null)
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
  // One signal per call: a listener on the run's own signal would leak until the run is garbage-collected.
  const abortSignal = AbortSignal.any([options.signal, silence.signal])
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    const { stream } = await silence.during(target.model.doStream(callOptions(prompt, request, abortSignal)))
    reader = stream.getReader()
    const warnings: string[] = []
    for (;;) {
      const { done, value: part } = await silence.during(reader.read())
      if (done) return yield fail(INTERRUPTED)
      if (part.type === 'error') {
        // The package does not know this event. The finish part shows whether the answer is complete.
        if (isUnknownEvent(part.error)) continue
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
    // The stream may already be closed or failed, and the outcome has been reported.
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
    return fail(INTERRUPTED)
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
    // Some servers report `stop` together with tool calls, so the calls decide.
    stopReason: answer.hasCall ? 'toolUse' : unified === 'length' ? 'length' : 'stop',
    usage,
    badArguments: answer.badArguments,
    isRefusal: unified === 'content-filter',
    warnings,
  }
}

/** Some providers silently truncate a prompt that is too long, or return an empty answer as a success. */
function isSilentOverflow(
  reason: string,
  raw: string | undefined,
  hasContent: boolean,
  read: number,
  window: number | null,
) {
  if (raw === 'model_context_window_exceeded' && !hasContent) return true
  if (window === null) return false
  return read > window || (reason === 'length' && !hasContent && read >= window * 0.99)
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

function failed(problem: ModelFailure, answer: AnswerParts | null): ModelFailed {
  return { type: 'failed', ...problem, content: answer?.withoutCalls() ?? [], usage: null }
}

function isUnknownEvent(error: unknown): boolean {
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

/** Measures silence only while waiting for the model: a slow reader on our side does not count. */
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
