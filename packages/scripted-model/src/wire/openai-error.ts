import type { ScriptedFailure } from '../script.ts'
import { failureMessage, type JsonObject } from './protocol.ts'

/** The error body of both OpenAI protocols. */
export function openaiError(failure: ScriptedFailure): JsonObject {
  const { type, code } = openaiErrorWords(failure)
  return { error: { message: failureMessage(failure), type, param: null, code } }
}

export function openaiErrorWords({ status, code }: ScriptedFailure): { type: string; code: string | null } {
  if (code) return { type: status === 429 && code.startsWith('insufficient') ? code : typeOf(status), code }
  const usual: Record<number, string> = {
    401: 'invalid_api_key',
    404: 'model_not_found',
    429: 'rate_limit_exceeded',
    500: 'server_error',
    503: 'server_is_overloaded',
    529: 'server_is_overloaded',
  }
  return { type: typeOf(status), code: usual[status] ?? (status >= 500 ? 'server_error' : null) }
}

function typeOf(status: number): string {
  if (status === 429) return 'requests'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
