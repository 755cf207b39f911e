import { ApiError } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'

export interface ErrorReport {
  readonly code: string
  readonly message: string
  readonly exitCode: ExitCode
}

/** Returns the message for a person, or null for a programming mistake, which must show its stack. */
export function reportError(error: unknown): ErrorReport | null {
  if (error instanceof ApiError) return { code: error.code, message: error.message, exitCode: apiExitCode(error) }
  if (error instanceof ClawbooError) {
    return { code: error.code, message: withCause(error), exitCode: exitCodeOf(error) }
  }
  // A system error, such as a full disk or a missing permission, is not a programming mistake.
  if (error instanceof Error && 'syscall' in error)
    return { code: 'internal', message: error.message, exitCode: EXIT_CODES.failed }
  return null
}

function apiExitCode({ status }: ApiError): ExitCode {
  if (status === 0) return EXIT_CODES.running
  if (status === 404) return EXIT_CODES.notFound
  return status >= 400 && status < 500 ? EXIT_CODES.refused : EXIT_CODES.failed
}

function exitCodeOf({ code }: ClawbooError): ExitCode {
  if (code === 'request_invalid') return EXIT_CODES.usage
  if (code === 'server_running' || code === 'server_not_running') return EXIT_CODES.running
  return code.endsWith('_not_found') ? EXIT_CODES.notFound : EXIT_CODES.failed
}

/** When a database cannot be opened, only the cause contains the reason. */
function withCause({ code, message, cause }: ClawbooError): string {
  return code === 'store_unavailable' && cause instanceof Error ? `${message}: ${cause.message}` : message
}
