import { ClawbooError } from '@clawboo/core'
import { count, object, reasonIn } from './gateway-frames.ts'

/** Converts a failed or refused call to an error with our own message. */
export function callError(method: string, error: unknown): ClawbooError {
  const { gatewayCode, details, retryAfterMs } = object(error)
  const words = reasonIn(error)
  if (typeof gatewayCode !== 'string')
    return gatewayDisconnected(`the OpenClaw Gateway did not answer ${method}: ${words}`, { cause: error })
  if (words.startsWith('rate limit exceeded'))
    return new ClawbooError('rate_limited', `the OpenClaw Gateway: ${words}`, {
      details: { retryAfterMs: count(retryAfterMs) || null },
      cause: error,
    })
  // The Gateway is starting, stopping or busy, so the same call may work later.
  if (gatewayCode === 'UNAVAILABLE')
    return gatewayDisconnected(`the OpenClaw Gateway is not ready for ${method}: ${words}`, {
      details: { words },
      cause: error,
    })
  return new ClawbooError('upstream_refused', `the OpenClaw Gateway refused ${method}: ${words}`, {
    details: { method, words, gatewayCode, ...(details === undefined ? {} : { reason: details }) },
    cause: error,
  })
}

/** Uses the error code that API clients already handle. */
export function gatewayDisconnected(
  message: string,
  options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
): ClawbooError {
  const details = { code: 'gateway_disconnected', ...options.details }
  return new ClawbooError('upstream_disconnected', message, { ...options, details })
}

/** The Gateway's own message when the Gateway refused the call; otherwise null. */
export function refusalWords(error: unknown): string | null {
  const words = error instanceof ClawbooError ? error.details.words : null
  return typeof words === 'string' ? words : null
}
