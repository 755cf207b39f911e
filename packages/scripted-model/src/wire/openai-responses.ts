import type { ScriptedMessage, ScriptedToolCall } from '../message.ts'
import type { CleanEnd, TurnContent } from '../play-turn.ts'
import { openaiError, openaiErrorWords } from './openai-error.ts'
import {
  ANSWER_TIME,
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

/** OpenAI's `POST /v1/responses`. */
export const openaiResponses: Protocol = {
  read(body) {
    if (typeof body.model !== 'string') return "Missing required parameter: 'model'."
    const instructions: ScriptedMessage[] = body.instructions
      ? [{ role: 'system', text: textIn(body.instructions) }]
      : []
    if (typeof body.input !== 'string' && !Array.isArray(body.input)) return "Missing required parameter: 'input'."
    const input: ScriptedMessage[] =
      typeof body.input === 'string' ? [{ role: 'user', text: body.input }] : readItems(listIn(body.input))
    return {
      model: body.model,
      stream: body.stream === true,
      includeUsage: true,
      messages: [...instructions, ...input],
      tools: listIn(body.tools).map((tool) => ({ name: textIn(tool.name), inputSchema: tool.parameters })),
    }
  },
  streamWriter: responsesStreamWriter,
  wholeAnswer(request, start, content, end) {
    const items = new ResponseItems(start.id)
    for (const part of content) items.add(part)
    return responseOf(request, start, items.whole(), end)
  },
  errorBody: openaiError,
}

/** A message, its reasoning and its tool calls are separate items here; together they are one response. */
function readItems(items: readonly JsonObject[]): ScriptedMessage[] {
  const messages: ScriptedMessage[] = []
  let answer: { role: 'assistant'; text: string; toolCalls: ScriptedToolCall[] } | null = null
  for (const item of items) {
    if (item.type === 'function_call' || item.role === 'assistant') {
      if (!answer) {
        answer = { role: 'assistant', text: '', toolCalls: [] }
        messages.push(answer)
      }
      answer.text += contentText(item.content)
      if (item.type === 'function_call')
        answer.toolCalls.push({ id: textIn(item.call_id), tool: textIn(item.name), input: textIn(item.arguments) })
    } else if (item.type === 'function_call_output') {
      answer = null
      messages.push({ role: 'tool', text: contentText(item.output), callId: textIn(item.call_id) })
    } else if (item.role === 'user' || item.role === 'system' || item.role === 'developer') {
      answer = null
      messages.push({ role: item.role === 'user' ? 'user' : 'system', text: contentText(item.content) })
    }
  }
  return messages
}

type Item =
  | { readonly kind: 'message' | 'reasoning'; readonly id: string; text: string }
  | { readonly kind: 'function_call'; readonly id: string; readonly call: ScriptedToolCall }

/** The items of one response, in order. Adjacent texts are one item. */
class ResponseItems {
  readonly #turnId: string
  readonly #items: Item[] = []

  constructor(turnId: string) {
    this.#turnId = turnId
  }

  /** Adds content and returns whether it started a new item. */
  add(part: TurnContent): { readonly item: Item; readonly index: number; readonly isNew: boolean } {
    const last = this.#items.at(-1)
    if (part.type === 'tool-call') {
      return this.#push({ kind: 'function_call', id: `fc_${this.#nextId()}`, call: part })
    }
    const kind = part.type === 'text-delta' ? 'message' : 'reasoning'
    if (last?.kind === kind) {
      last.text += part.text
      return { item: last, index: this.#items.length - 1, isNew: false }
    }
    return this.#push({ kind, id: `${kind === 'message' ? 'msg' : 'rs'}_${this.#nextId()}`, text: part.text })
  }

  whole(): JsonObject[] {
    return this.#items.map(wholeItem)
  }

  #push(item: Item) {
    this.#items.push(item)
    return { item, index: this.#items.length - 1, isNew: true }
  }

  #nextId(): string {
    return `${this.#turnId}_${this.#items.length}`
  }
}

function responseOf(
  request: WireRequest,
  start: TurnStart,
  output: readonly JsonObject[],
  end: CleanEnd | null,
): JsonObject {
  const incomplete =
    end?.because === 'length' ? 'max_output_tokens' : end?.because === 'content-filter' ? 'content_filter' : null
  return {
    id: `resp_${start.id}`,
    object: 'response',
    created_at: ANSWER_TIME,
    status: end === null ? 'in_progress' : incomplete ? 'incomplete' : 'completed',
    model: request.model,
    output,
    error: null,
    incomplete_details: incomplete && { reason: incomplete },
    usage: end && {
      input_tokens: end.usage.input,
      input_tokens_details: { cached_tokens: end.usage.cacheRead },
      output_tokens: end.usage.output,
      output_tokens_details: { reasoning_tokens: end.usage.reasoning },
      total_tokens: end.usage.input + end.usage.output,
    },
  }
}

function responsesStreamWriter(request: WireRequest, start: TurnStart): StreamWriter {
  const items = new ResponseItems(start.id)
  let sequence = 0
  let unfinished: { item: Item; index: number } | null = null
  const event = (type: string, fields: JsonObject) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: sequence++ })}\n\n`
  const close = () => {
    if (!unfinished) return ''
    const closing = closeItem(event, unfinished.item, unfinished.index)
    unfinished = null
    return closing
  }
  const halfCall = (call: ScriptedToolCall) => {
    const before = close()
    const { item, index } = items.add({ type: 'tool-call', ...call })
    unfinished = { item, index }
    const deltas = pieces(call.input).map((delta) =>
      event('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta }),
    )
    return before + openItem(event, item, index) + deltas.join('')
  }
  return {
    open: () => {
      const response = responseOf(request, start, [], null)
      return event('response.created', { response }) + event('response.in_progress', { response })
    },
    content: (part) => {
      if (part.type === 'tool-call') return halfCall(part) + close()
      const { item, index, isNew } = items.add(part)
      let text = ''
      if (isNew) {
        text = close() + openItem(event, item, index)
        unfinished = { item, index }
      }
      const place = { item_id: item.id, output_index: index }
      return item.kind === 'message'
        ? text + event('response.output_text.delta', { ...place, content_index: 0, delta: part.text })
        : text + event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: part.text })
    },
    end: (end) => {
      const closing = close()
      const response = responseOf(request, start, items.whole(), end)
      return closing + event(`response.${response.status}`, { response })
    },
    fail: (failure) =>
      event('error', { code: openaiErrorWords(failure).code, message: failureMessage(failure), param: null }),
    halfCall,
  }
}

type WriteEvent = (type: string, fields: JsonObject) => string

function openItem(event: WriteEvent, item: Item, index: number): string {
  const place = { item_id: item.id, output_index: index }
  const added = (fields: JsonObject) => event('response.output_item.added', { output_index: index, item: fields })
  if (item.kind === 'function_call') return added({ ...wholeItem(item), status: 'in_progress', arguments: '' })
  if (item.kind === 'reasoning')
    return (
      added({ id: item.id, type: 'reasoning', summary: [], encrypted_content: ENCRYPTED }) +
      event('response.reasoning_summary_part.added', {
        ...place,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      })
    )
  return (
    added({ id: item.id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }) +
    event('response.content_part.added', { ...place, content_index: 0, part: outputText('') })
  )
}

function closeItem(event: WriteEvent, item: Item, index: number): string {
  const place = { item_id: item.id, output_index: index }
  const done = event.bind(null, 'response.output_item.done')
  const end = () => done({ output_index: index, item: wholeItem(item) })
  if (item.kind === 'function_call')
    return event('response.function_call_arguments.done', { ...place, arguments: item.call.input }) + end()
  if (item.kind === 'reasoning') {
    const summary = { ...place, summary_index: 0 }
    return (
      event('response.reasoning_summary_text.done', { ...summary, text: item.text }) +
      event('response.reasoning_summary_part.done', { ...summary, part: { type: 'summary_text', text: item.text } }) +
      end()
    )
  }
  const content = { ...place, content_index: 0 }
  return (
    event('response.output_text.done', { ...content, text: item.text }) +
    event('response.content_part.done', { ...content, part: outputText(item.text) }) +
    end()
  )
}

const ENCRYPTED = 'c2NyaXB0ZWQ='

const outputText = (text: string) => ({ type: 'output_text', text, annotations: [] })

function wholeItem(item: Item): JsonObject {
  if (item.kind === 'function_call') {
    const { id, tool, input } = item.call
    return { id: item.id, type: 'function_call', status: 'completed', call_id: id, name: tool, arguments: input }
  }
  if (item.kind === 'reasoning') {
    return {
      id: item.id,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: item.text }],
      encrypted_content: ENCRYPTED,
    }
  }
  return { id: item.id, type: 'message', status: 'completed', role: 'assistant', content: [outputText(item.text)] }
}
