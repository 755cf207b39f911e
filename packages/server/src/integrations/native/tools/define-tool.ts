import { ClawbooError } from '@clawboo/core'
import type { JSONSchema7 } from 'json-schema'
import { checkInput } from './check-input.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JSONSchema7
  /** Called only with input that fits the schema. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}

/** Wraps a tool: a refused path or a disk error becomes an error result that the model can read. */
export function defineTool(definition: ToolDefinition): Tool {
  const check = (input: Readonly<Record<string, unknown>>) => checkInput(definition.inputSchema, input)
  return {
    ...definition,
    check,
    async run(input, context) {
      const problem = check(input)
      if (problem !== null) return failure(problem)
      if (context.signal.aborted) return failure('Stopped before it started; nothing was done.')
      try {
        return await definition.run(input, context)
      } catch (error) {
        const text = explainError(error)
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
  ENOENT: 'it does not exist',
  ENOTEMPTY: 'a folder has this name',
  EBUSY: 'it is in use',
}

/** Explains an expected error without naming absolute paths; null = a bug in this program. */
function explainError(error: unknown): string | null {
  if (error instanceof ClawbooError) return error.message
  const code = (error as NodeJS.ErrnoException).code
  const words = code === undefined ? undefined : SYSTEM_ERRORS[code]
  return words === undefined ? null : `Failed: ${words} (${code}).`
}
