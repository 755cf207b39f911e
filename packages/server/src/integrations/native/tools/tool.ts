import type { ApprovalAnswer } from '@clawboo/core/executor'
import type { JSONSchema7 } from 'json-schema'
import type { ImageContent, TextContent } from '../session/message.ts'

/**
 * A tool that a model can call. A mistake of the model or an error of the system is a result with `isError`, which the
 * model reads; `run` rejects only because of a bug in this program. It settles soon after `signal` is aborted.
 */
export interface Tool {
  /** Matches `^[a-zA-Z0-9_-]{1,64}$`; case-sensitive. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JSONSchema7
  /** Checks the arguments. Returns a problem that the model can act on, or null. */
  check(input: Readonly<Record<string, unknown>>): string | null
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}

export interface ToolContext {
  readonly callId: string
  readonly signal: AbortSignal
  /** Asks the person. Resolves to `deny` at once if nobody can answer. */
  askApproval(question: ApprovalQuestion): Promise<ApprovalAnswer>
}

export interface ApprovalQuestion {
  readonly tool: string
  /** The complete command that would run. */
  readonly action: string
  readonly cwd: string
  /** The environment variables of the command. */
  readonly env?: Readonly<Record<string, string>>
  /** Why approval is needed. */
  readonly reason: string
  /** False if "always allow" would cover too much, for example a shell. */
  readonly mayAlwaysAllow: boolean
}

export interface ToolResult {
  readonly content: readonly (TextContent | ImageContent)[]
  readonly isError: boolean
  readonly details?: unknown
}
