import type { ToolCallContent, ToolResultMessage } from '../session/message.ts'
import type { ToolResult } from '../tools/tool.ts'
import type { LoopSession, LoopTools } from './loop-ports.ts'
import type { RunApprovals } from './run-approvals.ts'
import type { RunEvents } from './run-events.ts'

/** The result text of a call that never ran. */
const ABORTED_RESULT = 'aborted'

export interface ToolBatch {
  readonly calls: readonly ToolCallContent[]
  readonly tools: LoopTools
  readonly session: LoopSession
  readonly events: RunEvents
  readonly approvals: RunApprovals
  readonly signal: AbortSignal
  readonly now: () => number
}

/**
 * Runs every tool call of one answer, in order. Each result is on disk before the next call starts, so a crash loses no
 * finished work. After an abort the remaining calls get an `aborted` result: providers reject a transcript in which a
 * call has no result.
 */
export async function runTools(batch: ToolBatch): Promise<readonly ToolResultMessage[]> {
  const { calls, session, events, signal, now } = batch
  const results: ToolResultMessage[] = []
  for (const call of calls) {
    if (signal.aborted) break
    const summary = batch.tools.startSummary(call)
    events.emit({
      type: 'tool-call',
      callId: call.id,
      tool: call.name,
      input: call.arguments,
      ...(summary === null ? {} : { summary }),
    })
    const result = await batch.tools.run(call, {
      callId: call.id,
      signal,
      askApproval: (question) => batch.approvals.ask(call.id, question, signal),
    })
    const message = resultMessage(call, result, now())
    await session.append([message])
    results.push(message)
    const endSummary = batch.tools.endSummary(call, result)
    events.emit({ ...resultEvent(message), ...(endSummary === null ? {} : { summary: endSummary }) })
  }
  const aborted = calls.slice(results.length).map((call) => resultMessage(call, ABORTED, now()))
  if (aborted.length > 0) await session.append(aborted)
  return [...results, ...aborted]
}

const ABORTED: ToolResult = { content: [{ type: 'text', text: ABORTED_RESULT }], isError: true }

function resultMessage(call: ToolCallContent, result: ToolResult, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    isError: result.isError,
    ...(result.details === undefined ? {} : { details: result.details }),
    timestamp,
  }
}

function resultEvent(message: ToolResultMessage) {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n')
  return {
    type: 'tool-result',
    callId: message.toolCallId,
    tool: message.toolName,
    text,
    isError: message.isError,
  } as const
}
