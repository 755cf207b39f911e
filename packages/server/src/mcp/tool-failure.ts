import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'
import type { z } from 'zod'

/** Their messages may name files, addresses or settings of the server. */
const INNER: ReadonlySet<ClawbooErrorCode> = new Set<ClawbooErrorCode>([
  'config_invalid',
  'internal',
  'secret_unreadable',
  'store_unavailable',
])

/** What the model reads when a tool did not do its work: a reason it can act on, and nothing of the server's inside. */
export function failureText(error: unknown, signal: AbortSignal): string {
  if (error instanceof ClawbooError) {
    if (!INNER.has(error.code)) return `${error.message} (${error.code})`
    return `the server cannot do this at the moment; try again later (${error.code})`
  }
  if (signal.aborted) return 'the call was cancelled'
  return 'something went wrong in the server; its log says what (internal)'
}

/** A mistake of ours belongs in the log; a reason and a cancelled call do not. */
export function isOurMistake(error: unknown, signal: AbortSignal): boolean {
  return !(error instanceof ClawbooError) && !signal.aborted
}

export function argumentsText(tool: string, error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  return `${tool} does not take these arguments: ${issues.join('; ').slice(0, 1000)}`
}
