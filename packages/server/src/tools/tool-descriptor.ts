import { createHash } from 'node:crypto'

/** The description of an outside tool for a model. Nothing else of the tool reaches a model. */
export interface ToolDescriptor {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface RefusedDescriptor {
  readonly name: string
  readonly reason: string
}

const DESCRIPTION_CHARACTERS = 8_000
const SCHEMA_CHARACTERS = 32_000
const SCHEMA_DEPTH = 32
export const MOST_TOOLS = 200

/** Separates the descriptors that cannot be stored; the rest stay as the server sent them. */
export function readDescriptors(listedTools: readonly unknown[]): {
  readonly descriptors: readonly ToolDescriptor[]
  readonly refused: readonly RefusedDescriptor[]
} {
  const descriptors = new Map<string, ToolDescriptor>()
  const refused: RefusedDescriptor[] = []
  for (const one of listedTools) {
    const { name, description = '', inputSchema } = (isObject(one) ? one : {}) as Record<string, unknown>
    const reason = findProblem(name, description, inputSchema, descriptors)
    if (reason === null)
      descriptors.set(name as string, { name, description, inputSchema } as unknown as ToolDescriptor)
    else refused.push({ name: String(name).slice(0, 128), reason })
  }
  return { descriptors: [...descriptors.values()], refused }
}

/** Covers name, description and schema; the order of a schema's keys does not matter. */
export function hashDescriptor({ name, description, inputSchema }: ToolDescriptor): string {
  return createHash('sha256')
    .update(canonicalJson([name, description, inputSchema]))
    .digest('hex')
}

/** Equal values always give the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findProblem(
  name: unknown,
  description: unknown,
  schema: unknown,
  known: ReadonlyMap<string, ToolDescriptor>,
): string | null {
  if (typeof name !== 'string' || !/^[\w.-]{1,128}$/.test(name)) return 'its name is not a valid tool name'
  if (known.has(name)) return 'another tool of the server has the same name'
  if (known.size === MOST_TOOLS) return `a server can have at most ${MOST_TOOLS} tools`
  if (typeof description !== 'string' || description.length > DESCRIPTION_CHARACTERS)
    return `its description is not a text of at most ${DESCRIPTION_CHARACTERS} characters`
  if (!isObject(schema) || schema.type !== 'object') return 'its schema does not describe an object'
  if (isDeeper(schema, SCHEMA_DEPTH) || JSON.stringify(schema).length > SCHEMA_CHARACTERS)
    return `its schema has more than ${SCHEMA_CHARACTERS} characters or ${SCHEMA_DEPTH} levels`
  return null
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
