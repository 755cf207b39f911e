/** One operation of the document, flattened for display. */
export interface DocumentedOperation {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly open: boolean
  readonly parameters: readonly {
    readonly name: string
    readonly place: string
    readonly required: boolean
    readonly type: string
    readonly about: string
  }[]
  readonly body: string | null
  readonly success: { readonly status: string; readonly type: string | null }
  readonly errors: readonly string[]
}

export interface DocumentedSchema {
  readonly name: string
  readonly about: string
  readonly type: string
}

type Json = Record<string, unknown>

/** Every operation, in the document's order. */
export function readOperations(document: Json): DocumentedOperation[] {
  return Object.entries(object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => readOperation(method, path, object(operation))),
  )
}

export function readSchemas(document: Json): DocumentedSchema[] {
  const schemas = object(object(document.components).schemas)
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    about: text(object(schema).description),
    type: schemaWords(object(schema)),
  }))
}

/** A schema in TypeScript notation, which is short and familiar. */
export function schemaWords(schema: Json, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown'
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (Array.isArray(union)) return union.map((part) => schemaWords(object(part), indent)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  switch (schema.type) {
    case 'array': {
      const item = schemaWords(object(schema.items), indent)
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectWords(schema, indent)
    case 'integer':
      return 'number'
    default:
      return typeof schema.type === 'string' ? schema.type : 'unknown'
  }
}

function objectWords(schema: Json, indent: string): string {
  const properties = Object.entries(object(schema.properties))
  if (properties.length === 0) {
    return schema.additionalProperties
      ? `{ [name: string]: ${schemaWords(object(schema.additionalProperties), indent)} }`
      : '{}'
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const inner = `${indent}  `
  const lines = properties.map(([name, property]) => {
    const about = text(object(property).description)
    const note = about === '' ? '' : `  // ${about}`
    return `${inner}${name}${required.has(name) ? '' : '?'}: ${schemaWords(object(property), inner)}${note}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function readOperation(method: string, path: string, operation: Json): DocumentedOperation {
  const responses = object(operation.responses)
  const status = Object.keys(responses).find((code) => code !== 'default') ?? '200'
  return {
    id: text(operation.operationId),
    tag: Array.isArray(operation.tags) ? text(operation.tags[0]) : 'Other',
    method: method.toUpperCase(),
    path,
    summary: text(operation.summary),
    open: Array.isArray(operation.security) && operation.security.length === 0,
    parameters: (Array.isArray(operation.parameters) ? operation.parameters : []).map((parameter: Json) => ({
      name: text(parameter.name),
      place: text(parameter.in),
      required: parameter.required === true,
      type: schemaWords(object(parameter.schema)),
      about: text(object(parameter.schema).description),
    })),
    body: contentWords(object(operation.requestBody)),
    success: { status, type: contentWords(object(responses[status])) },
    errors: ownErrors(text(object(responses.default).description)),
  }
}

function contentWords(holder: Json): string | null {
  const [content] = Object.values(object(holder.content))
  return content === undefined ? null : schemaWords(object(object(content).schema))
}

/** The document lists an operation's own error codes after a colon. */
function ownErrors(description: string): string[] {
  const listed = description.split(':')[1] ?? ''
  return listed.split(/\s+/).filter((code) => code.includes('_'))
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
