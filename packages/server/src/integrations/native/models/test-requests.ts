import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from '../session/message.ts'
import type { ModelEvent, ModelRequest } from './model-request.ts'
import type { ModelRow } from './providers/known-models.ts'
import { type ProviderRow, providerRows } from './providers/provider-list.ts'

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const user = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 })

export const script = (...answers: unknown[]): UserMessage => user(`\`\`\`script\n${JSON.stringify(answers)}\n\`\`\``)

export function assistant(
  content: AssistantMessage['content'],
  rest: Partial<AssistantMessage> = {},
): AssistantMessage {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, costUsd: null }
  return { role: 'assistant', content, provider: 'local', model: 'm', usage, stopReason: 'stop', timestamp: 2, ...rest }
}

export const call = (id: string, name = 'read', args: Record<string, unknown> = { path: 'a' }) =>
  ({ type: 'toolCall', id, name, arguments: args }) as const

export function result(toolCallId: string, rest: Partial<ToolResultMessage> = {}): ToolResultMessage {
  const content = [{ type: 'text', text: 'done' }] as const
  return { role: 'toolResult', toolCallId, toolName: 'read', content, isError: false, timestamp: 3, ...rest }
}

export function request(messages: readonly Message[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return { system: { text: '', cacheBoundary: 0 }, messages, tools: [READ], ...rest }
}

export const READ = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
} as const

export const WIRES = ['openai-compatible', 'openai-chat', 'openai-responses', 'anthropic'] as const

/** A provider with the given protocol and address. */
export function rowFor(wire: ProviderRow['wire'], baseUrl: string): ProviderRow {
  const base = providerRows({ local: { baseUrl: 'http://127.0.0.1:1/v1' } }).find((row) => row.id === 'local')!
  return { ...base, wire, baseUrl }
}

export const modelRow = (rest: Partial<ModelRow> = {}): ModelRow => ({
  id: 'm',
  contextWindow: null,
  prices: null,
  ...rest,
})

export async function collect<T = ModelEvent>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}
