import type { FailureKind, ModelFailure } from '../model-request.ts'
import {
  isAuthText,
  isBillingText,
  isOverflowText,
  isOverloadText,
  isRateLimitText,
  isUnknownModelText,
} from './failure-text.ts'
import { type ProviderError, readProviderError, scrubSecrets } from './provider-error.ts'

export interface FailureContext {
  /** Whether the caller aborted the call. Checked before the error is read. */
  readonly aborted: boolean
  /** The silence limit in milliseconds if it was exceeded. */
  readonly idleMs?: number | null
  readonly now: number
  /** Removed from every message. */
  readonly secrets?: readonly string[]
}

const RETRYABLE: ReadonlySet<FailureKind> = new Set(['rate_limit', 'overloaded', 'timeout', 'network'])

/** Determines the kind of failure from the errors of packages, vendors and local servers. Never throws. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  if (context.aborted) return failure('aborted', 'The call was stopped.', { aborted: true })
  if (context.idleMs != null)
    return failure('timeout', `The model was silent for ${Math.round(context.idleMs / 1000)} seconds.`)
  const read = readProviderError(error, context.now, context.secrets)
  const kind = kindOf(read)
  const message = scrubSecrets(messageOf(read, kind), context.secrets ?? [])
  const { status, retryAfterMs } = read
  return failure(kind, message, { status, retryAfterMs, retryable: RETRYABLE.has(kind) && !read.isSetupMistake })
}

export function failure(
  kind: FailureKind,
  message: string,
  rest: Partial<Omit<ModelFailure, 'kind' | 'message'>> = {},
): ModelFailure {
  return {
    kind,
    message,
    aborted: rest.aborted ?? false,
    retryable: rest.retryable ?? RETRYABLE.has(kind),
    status: rest.status ?? null,
    retryAfterMs: rest.retryAfterMs ?? null,
  }
}

function kindOf(error: ProviderError): FailureKind {
  const { status, words } = error
  // A failed 200 was cut off. Some servers report a prompt that is too long with an empty 400 or 413.
  if (status === null || status < 400) return kindWithoutStatus(error)
  if (status === 402 || isBillingText(words)) return 'billing'
  if (status === 429 || ((status === 403 || status === 413) && isRateLimitText(words))) return 'rate_limit'
  if (status === 403 && isUnknownModelText(words)) return 'unknown'
  if (status === 401 || status === 403) return 'auth'
  if (isOverflowText(words) || status === 413 || (status === 400 && error.isBodyless)) return 'context_overflow'
  if (status === 404 || (status === 400 && isUnknownModelText(words))) return 'unknown'
  if (status === 408 || status === 504 || status === 522 || status === 524) return 'timeout'
  if (status >= 500) return /system memory|out of memory/i.test(words) ? 'unknown' : 'overloaded'
  if (isRateLimitText(words)) return 'rate_limit'
  return isAuthText(words) ? 'auth' : 'format'
}

function kindWithoutStatus(error: ProviderError): FailureKind {
  const { words } = error
  if (error.isTimeout) return 'timeout'
  if (error.isNetwork) return 'network'
  if (error.isOurMistake) return 'format'
  if (error.isMissingKey) return 'auth'
  if (isBillingText(words)) return 'billing'
  if (isRateLimitText(words)) return 'rate_limit'
  if (isAuthText(words)) return 'auth'
  if (isOverflowText(words)) return 'context_overflow'
  if (isOverloadText(words)) return 'overloaded'
  if (/timeout_error|timed out/i.test(words)) return 'timeout'
  return /invalid_request/i.test(words) ? 'format' : 'unknown'
}

function messageOf(error: ProviderError, kind: FailureKind): string {
  const detail = error.text === '' ? '' : `: ${error.text}`
  const status = error.status === null || error.status < 400 ? '' : ` (${error.status})`
  switch (kind) {
    case 'auth':
      return `The provider refused the key${status}${detail}`
    case 'billing':
      return `The provider requires payment${status}${detail}`
    case 'rate_limit':
      return `The provider's rate limit was reached${status}${detail}`
    case 'overloaded':
      return `The provider is overloaded or not working${status}${detail}`
    case 'timeout':
      return `The provider took too long${status}${detail}`
    case 'network':
      return `The connection to the provider failed${detail}`
    case 'context_overflow':
      return `The conversation is too long for this model${status}${detail}`
    case 'format':
      return `The provider refused the request${status}${detail}`
    default:
      return `The model call failed${status}${detail}`
  }
}
