import type { JSONSchema7 } from 'json-schema'
import type { ImageContent, TextContent } from '../session/message.ts'

/**
 * Something the model can ask for. `run` never rejects for what the model or the world did wrong: that is a result with
 * `isError`, which the model reads. A rejection is a mistake of ours. After `signal` fired it settles soon, whatever it
 * was doing.
 */
export interface Tool {
  /** Matches `^[a-zA-Z0-9_-]{1,64}$`; case-sensitive. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JSONSchema7
  /** Parses what the model sent; a text says what is wrong with it, in words the model can act on. */
  check(input: Readonly<Record<string, unknown>>): string | null
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}

export interface ToolContext {
  readonly callId: string
  readonly signal: AbortSignal
  /** Asks the person. With nobody who could answer it is `deny` at once. */
  askApproval(question: ApprovalQuestion): Promise<ApprovalAnswer>
}

export interface ApprovalQuestion {
  readonly tool: string
  /** What would happen, whole: the command as it would run. */
  readonly action: string
  readonly cwd: string
  /** Variables that would come with it. */
  readonly env?: Readonly<Record<string, string>>
  /** Why it is asked. */
  readonly reason: string
  /** False when what would be allowed for ever is too wide, such as a shell. */
  readonly mayAlwaysAllow: boolean
}

export type ApprovalAnswer = 'allow-once' | 'allow-always' | 'deny'

export interface ToolResult {
  readonly content: readonly (TextContent | ImageContent)[]
  readonly isError: boolean
  readonly details?: unknown
}
