import { ClawbooError } from '@clawboo/core'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
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

/**
 * Checks arguments against the part of JSON Schema that our own tools use: object, array, string, integer, number,
 * boolean, enum, lengths and bounds. `null` counts as a missing optional field, because several models send it. Returns
 * the problem, or null.
 */
function checkInput(schema: JSONSchema7, input: unknown): string | null {
  return problemOf(schema, input, '')
}

function problemOf(schema: JSONSchema7, value: unknown, at: string): string | null {
  const name = at === '' ? 'the arguments' : `"${at}"`
  if (schema.enum && !schema.enum.includes(value as never)) {
    return `${name} must be one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(', ')}`
  }
  switch (schema.type) {
    case 'object':
      return isObject(value) ? objectProblem(schema, value, at) : `${name} must be an object`
    case 'array':
      return Array.isArray(value) ? arrayProblem(schema, value, at) : `${name} must be a list`
    case 'string':
      if (typeof value !== 'string') return `${name} must be a string`
      if (value.length < (schema.minLength ?? 0)) return `${name} must not be empty`
      if (value.length > (schema.maxLength ?? Infinity)) return `${name} has more than ${schema.maxLength} characters`
      return value.isWellFormed() ? null : `${name} contains half of a surrogate pair`
    case 'integer':
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return `${name} must be a number`
      if (schema.type === 'integer' && !Number.isSafeInteger(value)) return `${name} must be a whole number`
      if (value < (schema.minimum ?? -Infinity)) return `${name} must be at least ${schema.minimum}`
      return value > (schema.maximum ?? Infinity) ? `${name} must be at most ${schema.maximum}` : null
    case 'boolean':
      return typeof value === 'boolean' ? null : `${name} must be true or false`
    default:
      return null
  }
}

function objectProblem(schema: JSONSchema7, value: Readonly<Record<string, unknown>>, at: string): string | null {
  const known = schema.properties ?? {}
  const path = (key: string) => (at === '' ? key : `${at}.${key}`)
  const missing = schema.required?.find((key) => value[key] === undefined || value[key] === null)
  if (missing !== undefined) return `"${path(missing)}" is missing`
  for (const [key, item] of Object.entries(value)) {
    const rule = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties
    if (rule === false) return `"${path(key)}" is not an argument; the arguments are ${Object.keys(known).join(', ')}`
    if (item === null || item === undefined) continue
    const problem = isSchema(rule) ? problemOf(rule, item, path(key)) : null
    if (problem !== null) return problem
  }
  return null
}

function arrayProblem(schema: JSONSchema7, value: readonly unknown[], at: string): string | null {
  if (value.length < (schema.minItems ?? 0)) return `"${at}" must not be empty`
  if (value.length > (schema.maxItems ?? Infinity)) return `"${at}" has more than ${schema.maxItems} entries`
  const rule = schema.items
  if (Array.isArray(rule) || !isSchema(rule)) return null
  for (const [index, item] of value.entries()) {
    const problem = problemOf(rule, item, `${at}[${index}]`)
    if (problem !== null) return problem
  }
  return null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSchema(rule: JSONSchema7Definition | JSONSchema7Definition[] | undefined): rule is JSONSchema7 {
  return typeof rule === 'object' && !Array.isArray(rule)
}
