import type { ScriptedMessage, ScriptedToolCall } from '../message.ts'
import { openaiError } from './openai-error.ts'
import { ResponseItems, responseOf, responsesStreamWriter } from './openai-responses-answer.ts'
import { contentText, type JsonObject, listIn, type Protocol, textIn } from './protocol.ts'

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
