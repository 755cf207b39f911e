import { ClawbooError } from '@clawboo/core'
import type { JSONSchema7 } from 'json-schema'
import { checkInput } from './check-input.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JSONSchema7
  /** Only ever called with input that fits the schema. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}

/** A tool that answers with an error the model can read, instead of rejecting, when a path or the disk refuses. */
export function defineTool(definition: ToolDefinition): Tool {
  const check = (input: Readonly<Record<string, unknown>>) => checkInput(definition.inputSchema, input)
  return {
    ...definition,
    check,
    async run(input, context) {
      const problem = check(input)
      if (problem !== null) return failure(problem)
      if (context.signal.aborted) return failure('Stopped before it began; nothing was done.')
      try {
        return await definition.run(input, context)
      } catch (error) {
        const text = worldsFault(error)
        if (text === null) throw error
        return failure(text)
      }
    },
  }
}

export function success(text: string, details?: unknown): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, details }
}

export function failure(text: string, details?: unknown): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, details }
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  EIO: 'the disk could not be read or written',
  ENOENT: 'it is not there',
  ENOTEMPTY: 'a folder stands there',
  EBUSY: 'it is in use',
}

/** What is not a mistake of ours, in words; null otherwise. Says nothing of the machine's paths. */
function worldsFault(error: unknown): string | null {
  if (error instanceof ClawbooError) return error.message
  const code = (error as NodeJS.ErrnoException).code
  const words = code === undefined ? undefined : SYSTEM_ERRORS[code]
  return words === undefined ? null : `Could not be done: ${words} (${code}).`
}
