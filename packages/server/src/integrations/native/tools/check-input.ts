import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'

/**
 * Checks arguments against the part of JSON Schema that our own tools use: object, array, string, integer, number,
 * boolean, enum, lengths and bounds. `null` counts as a missing optional field, because several models send it. Returns
 * the problem, or null.
 */
export function checkInput(schema: JSONSchema7, input: unknown): string | null {
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
