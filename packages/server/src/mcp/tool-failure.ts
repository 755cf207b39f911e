import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import type { z } from 'zod'

/** Messages of these errors may name files, addresses or settings of the server. */
const INNER: ReadonlySet<ClawbooErrorCode> = new Set<ClawbooErrorCode>([
  'config_invalid',
  'internal',
  'secret_unreadable',
  'store_unavailable',
])

/** The text a model reads when a tool fails: a reason it can act on, without internal details. */
export function failureText(error: unknown, signal: AbortSignal): string {
  if (error instanceof ClawbooError) {
    if (!INNER.has(error.code)) return `${error.message} (${error.code})`
    return `the server cannot do this now; try again later (${error.code})`
  }
  if (signal.aborted) return 'the call was cancelled'
  return 'something went wrong in the server; its log has the details (internal)'
}

/** Only programming mistakes are logged, not refusals or cancelled calls. */
export function isOurMistake(error: unknown, signal: AbortSignal): boolean {
  return !(error instanceof ClawbooError) && !signal.aborted
}

export function argumentsText(tool: string, error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  return `${tool} does not take these arguments: ${issues.join('; ').slice(0, 1000)}`
}
