import type { ScriptedMessage, ScriptedToolCall, ScriptedUsage } from '../message.ts'
import type { CleanEnd, TurnContent } from '../play-turn.ts'
import type { ScriptedFailure } from '../script.ts'
import {
  contentText,
  failureMessage,
  type JsonObject,
  listIn,
  type Protocol,
  pieces,
  type StreamWriter,
  type TurnStart,
  textIn,
  type WireRequest,
} from './protocol.ts'

/** Anthropic's `POST /v1/messages`. */
export const anthropicMessages: Protocol = {
  read(body) {
    if (typeof body.model !== 'string') return 'model: Field required'
    if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required'
    if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required'
    const system: ScriptedMessage[] = body.system ? [{ role: 'system', text: contentText(body.system) }] : []
    return {
      model: body.model,
      stream: body.stream === true,
      includeUsage: true,
      messages: [...system, ...listIn(body.messages).flatMap(readMessage)],
      tools: listIn(body.tools).map((tool) => ({ name: textIn(tool.name), inputSchema: tool.input_schema })),
    }
  },
  streamWriter,
  wholeAnswer,
  errorBody,
}

/** A user turn contains tool results and the person's text after them; each becomes a separate message. */
function readMessage(message: JsonObject): ScriptedMessage[] {
  const blocks = listIn(message.content)
  const text = contentText(message.content)
  if (message.role === 'system') return [{ role: 'system', text }]
  if (message.role === 'assistant') {
    const calls = blocks.filter((block) => block.type === 'tool_use')
    const toolCalls = calls.map(
      ({ id, name, input }): ScriptedToolCall => ({
        id: textIn(id),
        tool: textIn(name),
        input: JSON.stringify(input ?? {}),
      }),
    )
    return [{ role: 'assistant', text, toolCalls }]
  }
  const results = blocks
    .filter((block) => block.type === 'tool_result')
    .map(
      (block): ScriptedMessage => ({
        role: 'tool',
        text: contentText(block.content),
        callId: textIn(block.tool_use_id),
        // Denied calls are not marked, so a missing mark means nothing.
        ...(block.is_error === true && { isError: true }),
      }),
    )
  const saysMore = results.length === 0 || blocks.some((block) => block.type !== 'tool_result')
  return saysMore ? [...results, { role: 'user', text }] : results
}

const STOP = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', 'content-filter': 'refusal' }
const SIGNATURE = 'c2NyaXB0ZWQ='

const event = (type: string, fields: JsonObject) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

function streamWriter(request: WireRequest, start: TurnStart): StreamWriter {
  let index = -1
  let open: 'text' | 'thinking' | null = null
  const delta = (fields: JsonObject) => event('content_block_delta', { index, delta: fields })
  const close = () => {
    if (open === null) return ''
    const signed = open === 'thinking' ? delta({ type: 'signature_delta', signature: SIGNATURE }) : ''
    open = null
    return signed + event('content_block_stop', { index })
  }
  const ensure = (kind: 'text' | 'thinking') => {
    if (open === kind) return ''
    const before = close()
    open = kind
    index++
    const block = kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }
    return before + event('content_block_start', { index, content_block: block })
  }
  const halfCall = ({ id, tool, input }: ScriptedToolCall) => {
    const before = close()
    index++
    const opening = event('content_block_start', {
      index,
      content_block: { type: 'tool_use', id, name: tool, input: {} },
    })
    const rest = pieces(input).map((piece) => delta({ type: 'input_json_delta', partial_json: piece }))
    return before + opening + rest.join('')
  }
  return {
    open: () =>
      event('message_start', { message: messageOf(request, start, [], null, { ...start, output: 1, reasoning: 0 }) }),
    content: (part) => {
      if (part.type === 'text-delta') return ensure('text') + delta({ type: 'text_delta', text: part.text })
      if (part.type === 'reasoning-delta')
        return ensure('thinking') + delta({ type: 'thinking_delta', thinking: part.text })
      return halfCall(part) + event('content_block_stop', { index })
    },
    end: ({ because, usage }) =>
      close() +
      event('message_delta', {
        delta: { stop_reason: STOP[because], stop_sequence: null },
        usage: { output_tokens: usage.output },
      }) +
      event('message_stop', {}),
    fail: (failure) => `event: error\ndata: ${JSON.stringify(errorBody(failure))}\n\n`,
    halfCall,
  }
}

function wholeAnswer(request: WireRequest, start: TurnStart, parts: readonly TurnContent[], end: CleanEnd): JsonObject {
  const content: { type: string; text?: string; thinking?: string; [field: string]: unknown }[] = []
  for (const part of parts) {
    const last = content.at(-1)
    if (part.type === 'tool-call')
      content.push({ type: 'tool_use', id: part.id, name: part.tool, input: parsedOrText(part.input) })
    else if (part.type === 'text-delta' && last?.type === 'text') last.text += part.text
    else if (part.type === 'text-delta') content.push({ type: 'text', text: part.text })
    else if (last?.type === 'thinking') last.thinking += part.text
    else content.push({ type: 'thinking', thinking: part.text, signature: SIGNATURE })
  }
  return messageOf(request, start, content, STOP[end.because], end.usage)
}

function messageOf(
  request: WireRequest,
  start: TurnStart,
  content: readonly JsonObject[],
  stopReason: string | null,
  usage: ScriptedUsage,
): JsonObject {
  return {
    id: `msg_${start.id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input - usage.cacheRead,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: usage.output,
    },
  }
}

/** A response without a stream cannot contain invalid arguments, so they become text. */
function parsedOrText(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function errorBody(failure: ScriptedFailure): JsonObject {
  const { status, code } = failure
  const type = code ?? ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message: failureMessage(failure) }, request_id: 'req_scripted' }
}
