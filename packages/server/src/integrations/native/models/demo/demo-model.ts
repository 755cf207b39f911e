import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import { playModel, type ScriptedEnd, type ScriptedMessage, type ScriptedPart } from '@clawboo/scripted-model'
import { demoPersona } from './demo-persona.ts'

/** The built-in scripted model with the interface of a vendor's model. It uses no network and is not an AI. */
export function createDemoModel(modelId: string, wordDelayMs?: number): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId,
    supportedUrls: {},
    async doGenerate() {
      throw new TypeError('The demo model only streams.')
    },
    async doStream(options) {
      const parts = playModel(
        { messages: options.prompt.flatMap(scriptedMessages), tools: offeredTools(options), model: modelId },
        {
          persona: demoPersona,
          ...(options.abortSignal ? { signal: options.abortSignal } : {}),
          ...(wordDelayMs === undefined ? {} : { wordDelayMs }),
        },
      )
      return { stream: ReadableStream.from(streamParts(parts, options.abortSignal)) }
    },
  }
}

async function* streamParts(
  parts: AsyncIterable<ScriptedPart>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  let open: 'text' | 'reasoning' | null = null
  let blocks = 0
  for await (const part of parts) {
    const kind = part.type === 'text-delta' ? 'text' : part.type === 'reasoning-delta' ? 'reasoning' : null
    if (open !== null && kind !== open) yield { type: `${open}-end`, id: String(blocks) }
    if (kind !== null && kind !== open) yield { type: `${kind}-start`, id: String(++blocks) }
    open = kind
    if (kind !== null) yield { type: `${kind}-delta`, id: String(blocks), delta: (part as { text: string }).text }
    if (part.type === 'tool-call') yield* callParts(part)
    if (part.type === 'end') yield endPart(part, signal)
  }
}

function* callParts(call: Extract<ScriptedPart, { type: 'tool-call' }>): Generator<LanguageModelV4StreamPart> {
  yield { type: 'tool-input-start', id: call.id, toolName: call.tool }
  yield { type: 'tool-input-delta', id: call.id, delta: call.input }
  yield { type: 'tool-input-end', id: call.id }
  yield { type: 'tool-call', toolCallId: call.id, toolName: call.tool, input: call.input }
}

function endPart(end: ScriptedEnd, signal: AbortSignal | undefined): LanguageModelV4StreamPart {
  if (end.because === 'aborted') throw signal?.reason ?? new DOMException('aborted', 'AbortError')
  if (end.because === 'failed') return { type: 'error', error: failureOf(end) }
  if (end.because === 'interrupted')
    return { type: 'finish', finishReason: { unified: 'interrupted', raw: undefined }, usage: usageOf(0, 0, 0, 0) }
  const { input, output, cacheRead, reasoning } = end.usage
  return {
    type: 'finish',
    finishReason: { unified: end.because, raw: end.because },
    usage: usageOf(input, output, cacheRead, reasoning),
  }
}

function failureOf(end: Extract<ScriptedEnd, { because: 'failed' }>) {
  if (end.status === null) return { code: 'ECONNRESET', message: end.message }
  const headers = end.retryAfter === undefined ? {} : { 'retry-after': String(end.retryAfter) }
  return { message: end.message, statusCode: end.status, responseBody: end.message, responseHeaders: headers }
}

function usageOf(input: number, output: number, cacheRead: number, reasoning: number) {
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}

function offeredTools(options: LanguageModelV4CallOptions) {
  return (options.tools ?? []).flatMap((tool) =>
    tool.type === 'function' ? [{ name: tool.name, inputSchema: tool.inputSchema }] : [],
  )
}

function scriptedMessages(message: LanguageModelV4Message): ScriptedMessage[] {
  if (message.role === 'system') return [{ role: 'system', text: message.content }]
  if (message.role === 'tool')
    return message.content.flatMap((part): ScriptedMessage[] => {
      if (part.type !== 'tool-result') return []
      const isError = part.output.type.startsWith('error') || part.output.type === 'execution-denied'
      return [{ role: 'tool', text: outputText(part.output), callId: part.toolCallId, isError }]
    })
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  if (message.role === 'user') return [{ role: 'user', text }]
  const toolCalls = message.content.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, tool: part.toolName, input: JSON.stringify(part.input) }] : [],
  )
  return [{ role: 'assistant', text, toolCalls }]
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  if (output.type === 'execution-denied') return output.reason ?? 'denied'
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type !== 'content') return JSON.stringify(output.value)
  return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
