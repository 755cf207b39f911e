import type { Json } from './test-recordings.ts'

/** An error answer of a Gateway. */
export class Refusal extends Error {
  readonly error: Json

  constructor(message: string, more: Json = {}) {
    super(message)
    this.error = { code: 'INVALID_REQUEST', message, ...more }
  }
}

/** The client that calls a method. */
export interface Caller {
  readonly scopes: readonly string[]
  readonly subscribed: Set<string>
}

export interface Method {
  /** The scope it needs. */
  readonly scope: string
  /** The parameter names; `!` marks a required one. */
  readonly takes: readonly string[]
  run(params: Json, caller: Caller): Promise<unknown> | unknown
}

export type Methods = Readonly<Record<string, Method>>

export function method(scope: string, takes: string, run: Method['run']): Method {
  return { scope: `operator.${scope}`, takes: takes === '' ? [] : takes.split(' '), run }
}

/** Answers a request like a Gateway: unknown methods and parameters are refused. */
export async function answer(methods: Methods, name: string, params: Json, caller: Caller): Promise<unknown> {
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (!found) throw new Refusal(`unknown method: ${name}`)
  if (!caller.scopes.includes(found.scope))
    throw new Refusal(`missing scope: ${found.scope}`, {
      code: 'FORBIDDEN',
      details: { code: 'MISSING_SCOPE', missingScope: found.scope, requiredScopes: [found.scope] },
    })
  const known = found.takes.map((each) => each.replace('!', ''))
  const extra = Object.keys(params).find((each) => !known.includes(each))
  if (extra !== undefined) throw new Refusal(`invalid ${name} params: at root: unexpected property '${extra}'`)
  const missing = found.takes.find((each) => each.endsWith('!') && params[each.slice(0, -1)] === undefined)
  if (missing) throw new Refusal(`invalid ${name} params: must have required property '${missing.slice(0, -1)}'`)
  return found.run(params, caller)
}
