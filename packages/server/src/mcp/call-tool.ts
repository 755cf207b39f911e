import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import type { ContentBlock } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { actAs } from '../access/actor.ts'
import { actorOf, type Caller, type RunCaller } from './caller.ts'
import { type AnyTool, findTool, inputFor, type ToolTable } from './tool-table.ts'

export interface ToolAnswer {
  readonly content: ContentBlock[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: true
}

export interface ToolCall {
  readonly name: string
  readonly args: unknown
  readonly signal: AbortSignal
}

/** Receives what the caller must not see or should not have tried. */
export interface ToolWatch {
  /** A programming mistake; its text is sent nowhere else. */
  mistake(tool: string, error: unknown): void
  /** A run called a tool outside its grant, or passed an unknown argument such as an author. */
  refused(run: RunCaller, tool: string, because: 'tool_not_granted' | 'unknown_argument'): Promise<void>
}

/**
 * The only way to call a tool, over any transport. Resolves to null when the caller has no such tool. Never rejects.
 */
export async function callTool(
  table: ToolTable,
  caller: Caller,
  { name, args, signal }: ToolCall,
  watch: ToolWatch,
): Promise<ToolAnswer | null> {
  const tool = findTool(table, caller, name)
  if (!tool) {
    if (caller.kind === 'run') await watch.refused(caller, name, 'tool_not_granted')
    return null
  }
  const parsed = inputFor(tool, caller).safeParse(args ?? {})
  if (!parsed.success) {
    const hasUnknown = parsed.error.issues.some(({ code }) => code === 'unrecognized_keys')
    if (hasUnknown && caller.kind === 'run') await watch.refused(caller, name, 'unknown_argument')
    return failed(argumentsText(name, parsed.error))
  }
  try {
    signal.throwIfAborted()
    const answer = await actAs(actorOf(caller), () => tool.handler(caller, parsed.data, signal))
    return answered(tool, answer)
  } catch (error) {
    if (isOurMistake(error, signal)) watch.mistake(name, error)
    return failed(failureText(error, signal))
  }
}

function answered(tool: AnyTool, answer: unknown): ToolAnswer {
  const structuredContent = tool.output.parse(answer) as Record<string, unknown>
  const content = tool.content?.(structuredContent) ?? [text(JSON.stringify(structuredContent))]
  return { content, structuredContent }
}

function failed(reason: string): ToolAnswer {
  return { content: [text(reason)], isError: true }
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words }
}

/** Messages of these errors may name files, addresses or settings of the server. */
const INNER: ReadonlySet<ClawbooErrorCode> = new Set<ClawbooErrorCode>([
  'config_invalid',
  'internal',
  'secret_unreadable',
  'store_unavailable',
])

/** The text a model reads when a tool fails: a reason it can act on, without internal details. */
export function failureText(error: unknown, signal: AbortSignal): string {
  if (error instanceof ClawbooError) {
    if (!INNER.has(error.code)) return `${error.message} (${error.code})`
    return `the server cannot do this now; try again later (${error.code})`
  }
  if (signal.aborted) return 'the call was cancelled'
  return 'something went wrong in the server; its log has the details (internal)'
}

/** Only programming mistakes are logged, not refusals or cancelled calls. */
export function isOurMistake(error: unknown, signal: AbortSignal): boolean {
  return !(error instanceof ClawbooError) && !signal.aborted
}

function argumentsText(tool: string, error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  return `${tool} does not take these arguments: ${issues.join('; ').slice(0, 1000)}`
}
