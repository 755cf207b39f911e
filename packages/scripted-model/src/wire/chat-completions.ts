import type { ScriptedMessage, ScriptedUsage } from '../message.ts'
import type { CleanEnd, TurnContent } from '../play-turn.ts'
import type { ScriptedFailure } from '../script.ts'
import { openaiError } from './openai-error.ts'
import {
  ANSWER_TIME,
  contentText,
  type JsonObject,
  listIn,
  type Protocol,
  pieces,
  type StreamWriter,
  type TurnStart,
  textIn,
  type WireRequest,
} from './protocol.ts'

/** OpenAI's `POST /v1/chat/completions`, which most local servers support too. */
export const chatCompletions: Protocol = {
  read(body) {
    if (typeof body.model !== 'string') return 'you must provide a model parameter'
    if (!Array.isArray(body.messages) || body.messages.length === 0)
      return "Invalid 'messages': expected a non-empty array."
    return {
      model: body.model,
      stream: body.stream === true,
      includeUsage: (body.stream_options as JsonObject | undefined)?.include_usage === true,
      messages: listIn(body.messages).map(readMessage),
      tools: listIn(body.tools).map((tool) => {
        const { name, parameters } = (tool.function ?? {}) as JsonObject
        return { name: textIn(name), inputSchema: parameters }
      }),
    }
  },
  streamWriter,
  wholeAnswer,
  errorBody: openaiError,
}

function readMessage(message: JsonObject): ScriptedMessage {
  const text = contentText(message.content)
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        text,
        toolCalls: listIn(message.tool_calls).map((call) => {
          const { name, arguments: input } = (call.function ?? {}) as JsonObject
          return { id: textIn(call.id), tool: textIn(name), input: textIn(input) }
        }),
      }
    case 'tool':
      return { role: 'tool', text, callId: textIn(message.tool_call_id) }
    case 'user':
      return { role: 'user', text }
    default:
      return { role: 'system', text }
  }
}

const FINISH = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', 'content-filter': 'content_filter' }

function streamWriter(request: WireRequest, start: TurnStart): StreamWriter {
  const head = `data: {"id":"chatcmpl-${start.id}","object":"chat.completion.chunk","created":${ANSWER_TIME},"model":${JSON.stringify(request.model)},`
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    `${head}"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}]}\n\n`
  let calls = 0
  const callChunks = (id: string, tool: string, input: string) => {
    const index = calls++
    const opening = chunk({ tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' } }] })
    const rest = pieces(input).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    return opening + rest.join('')
  }
  return {
    open: () => chunk({ role: 'assistant', content: '' }),
    content: (part) => {
      if (part.type === 'text-delta') return chunk({ content: part.text })
      if (part.type === 'reasoning-delta') return chunk({ reasoning_content: part.text })
      return callChunks(part.id, part.tool, part.input)
    },
    end: ({ because, usage }) => {
      const usageChunk = request.includeUsage
        ? `${head}"choices":[],"usage":${JSON.stringify(usageOf(usage))}}\n\n`
        : ''
      return `${chunk({}, FINISH[because])}${usageChunk}data: [DONE]\n\n`
    },
    fail: (failure: ScriptedFailure) => `data: ${JSON.stringify(openaiError(failure))}\n\n`,
    halfCall: (call) => callChunks(call.id, call.tool, call.input),
  }
}

function wholeAnswer(
  request: WireRequest,
  start: TurnStart,
  content: readonly TurnContent[],
  end: CleanEnd,
): JsonObject {
  const joined = (type: TurnContent['type']) =>
    content.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
  const calls = content.filter((part) => part.type === 'tool-call')
  const reasoning = joined('reasoning-delta')
  return {
    id: `chatcmpl-${start.id}`,
    object: 'chat.completion',
    created: ANSWER_TIME,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: joined('text-delta') || (calls.length > 0 ? null : ''),
          ...(reasoning && { reasoning_content: reasoning }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, tool, input }) => ({
              id,
              type: 'function',
              function: { name: tool, arguments: input },
            })),
          }),
        },
        finish_reason: FINISH[end.because],
      },
    ],
    usage: usageOf(end.usage),
  }
}

function usageOf({ input, output, cacheRead, reasoning }: ScriptedUsage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
