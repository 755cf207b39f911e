import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { onTestFinished } from 'vitest'
import type { AssistantMessage, Message, ToolCallContent, ToolResultMessage, UserMessage } from './message.ts'

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-session-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export function user(text: string, messageId?: string): UserMessage {
  const content = [{ type: 'text', text }] as const
  return { role: 'user', content, timestamp: 1, ...(messageId === undefined ? {} : { messageId }) }
}

export function call(id: string, name = 'read', input: Record<string, unknown> = {}): ToolCallContent {
  return { type: 'toolCall', id, name, arguments: input }
}

export function assistant(...content: (string | AssistantMessage['content'][number])[]): AssistantMessage {
  const parts = content.map((part) => (typeof part === 'string' ? ({ type: 'text', text: part } as const) : part))
  return {
    role: 'assistant',
    content: parts,
    provider: 'demo',
    model: 'boo',
    usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, costUsd: null },
    stopReason: parts.some((part) => part.type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: 2,
  }
}

export function result(toolCallId: string, text = 'done', toolName = 'read'): ToolResultMessage {
  return { role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text }], isError: false, timestamp: 3 }
}

export function textOf(message: Message | undefined): string {
  return (message?.content ?? []).map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')
}

/** Whether every call is followed by exactly one result before any other message. */
export function isPaired(messages: readonly Message[]): boolean {
  let waiting: string[] = []
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const at = waiting.indexOf(message.toolCallId)
      if (at === -1) return false
      waiting.splice(at, 1)
    } else {
      if (waiting.length > 0) return false
      waiting = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
    }
  }
  return waiting.length === 0
}

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '  ', 'héllo 🌍', '\u0000\n"\\', '[x]'))

/** Values as read back from a file: JSON has no negative zero. */
const inputs = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)))

/** The messages of one run: a prompt and an answer with all its results. Some answers reuse the same call ids. */
export const rounds: fc.Arbitrary<Message[]> = fc
  .record({
    question: texts,
    answer: texts,
    calls: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), inputs, texts), { maxLength: 3 }),
    order: fc.nat(5),
  })
  .map(({ question, answer, calls, order }) => {
    const toolCalls = calls.map(([id, input]) => call(id, 'read', { input }))
    const results = calls.map(([id, , text]) => ({ ...result(id, text), details: { hidden: true } }))
    const ordered = order % 2 === 0 ? results : results.reverse()
    return [user(question, `m${order}`), assistant(answer, ...toolCalls), ...ordered]
  })
