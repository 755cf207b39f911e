import { saysAuth, saysBilling, saysNoSuchModel, saysOverflow, saysOverloaded, saysRateLimit } from './failure-text.ts'
import type { FailureKind, ModelFailure } from './model-request.ts'
import { type ProviderError, readProviderError } from './provider-error.ts'
import { scrubSecrets } from './scrub-secrets.ts'

export interface FailureContext {
  /** Whether the caller's own signal fired: asked before anything is read out of the error. */
  readonly aborted: boolean
  /** Whether our limit on silence fired. */
  readonly idleMs?: number | null
  readonly now: number
  /** Never to be seen in a message. */
  readonly secrets?: readonly string[]
}

const RETRYABLE: ReadonlySet<FailureKind> = new Set(['rate_limit', 'overloaded', 'timeout', 'network'])

/** Says what kind of failure an error is. Reads what packages, vendors and local servers put into it; never throws. */
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
  // A 200 that failed was cut or broke off; a 400 or 413 without a word is how some say "too long".
  if (status === null || status < 400) return kindWithoutStatus(error)
  if (status === 402 || saysBilling(words)) return 'billing'
  if (status === 429 || ((status === 403 || status === 413) && saysRateLimit(words))) return 'rate_limit'
  if (status === 403 && saysNoSuchModel(words)) return 'unknown'
  if (status === 401 || status === 403) return 'auth'
  if (saysOverflow(words) || status === 413 || (status === 400 && error.isBodyless)) return 'context_overflow'
  if (status === 404 || (status === 400 && saysNoSuchModel(words))) return 'unknown'
  if (status === 408 || status === 504 || status === 522 || status === 524) return 'timeout'
  if (status >= 500) return /system memory|out of memory/i.test(words) ? 'unknown' : 'overloaded'
  if (saysRateLimit(words)) return 'rate_limit'
  return saysAuth(words) ? 'auth' : 'format'
}

function kindWithoutStatus(error: ProviderError): FailureKind {
  const { words } = error
  if (error.isTimeout) return 'timeout'
  if (error.isNetwork) return 'network'
  if (error.isOurMistake) return 'format'
  if (error.isMissingKey) return 'auth'
  if (saysBilling(words)) return 'billing'
  if (saysRateLimit(words)) return 'rate_limit'
  if (saysAuth(words)) return 'auth'
  if (saysOverflow(words)) return 'context_overflow'
  if (saysOverloaded(words)) return 'overloaded'
  if (/timeout_error|timed out/i.test(words)) return 'timeout'
  return /invalid_request/i.test(words) ? 'format' : 'unknown'
}

function messageOf(error: ProviderError, kind: FailureKind): string {
  const said = error.text === '' ? '' : `: ${error.text}`
  const status = error.status === null || error.status < 400 ? '' : ` (${error.status})`
  switch (kind) {
    case 'auth':
      return `The provider refused the key${status}${said}`
    case 'billing':
      return `The provider wants money${status}${said}`
    case 'rate_limit':
      return `The provider limits how much may be asked${status}${said}`
    case 'overloaded':
      return `The provider is overloaded or broken${status}${said}`
    case 'timeout':
      return `The provider took too long${status}${said}`
    case 'network':
      return `The connection to the provider failed${said}`
    case 'context_overflow':
      return `The conversation is too long for this model${status}${said}`
    case 'format':
      return `The provider refused the request${status}${said}`
    default:
      return `The model call failed${status}${said}`
  }
}
