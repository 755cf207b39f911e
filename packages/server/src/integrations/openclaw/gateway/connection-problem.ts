import type { ConnectionProblem, ConnectionProblemCode } from '@clawboo/core/registry'
import { object, reasonIn, text } from './gateway-frames.ts'

/** The scopes that every connection needs. */
export const NEEDED_SCOPES = ['operator.read', 'operator.write', 'operator.admin', 'operator.approvals'] as const

/** Describes the Gateway's refusal for a person. */
export function problemOf(error: unknown): ConnectionProblem {
  const { code, details } = object(error)
  const words = reasonIn(error)
  const detail = text(object(details).code)
  const found =
    BY_DETAIL.get(detail) ?? BY_CODE.get(text(code)) ?? (isUnreachable(text(code), words) ? 'unreachable' : 'refused')
  return problem(found, found === 'unreachable' ? `nothing answers at this address (${words})` : words)
}

export function scopesMissing(scopes: readonly string[]): ConnectionProblem | null {
  const missing = NEEDED_SCOPES.filter((scope) => !scopes.includes(scope))
  if (missing.length === 0) return null
  return problem('scopes_missing', `the Gateway accepts the connection but does not allow ${missing.join(', ')}`)
}

export function problem(code: ConnectionProblemCode, message: string): ConnectionProblem {
  return { code, message, remedy: REMEDIES[code] }
}

/** Whether a retry would fail until a person acts. */
export function waitsForPerson({ code }: ConnectionProblem): boolean {
  return code === 'secret_missing' || code === 'secret_wrong'
}

const BY_DETAIL: ReadonlyMap<string, ConnectionProblemCode> = new Map([
  ['AUTH_TOKEN_MISSING', 'secret_missing'],
  ['AUTH_TOKEN_MISMATCH', 'secret_wrong'],
  ['AUTH_PASSWORD_MISSING', 'secret_missing'],
  ['AUTH_PASSWORD_MISMATCH', 'secret_wrong'],
  ['AUTH_DEVICE_TOKEN_MISMATCH', 'secret_wrong'],
  ['AUTH_UNAUTHORIZED', 'secret_wrong'],
  ['DEVICE_IDENTITY_REQUIRED', 'secret_missing'],
  ['PAIRING_REQUIRED', 'approval_needed'],
  ['PROTOCOL_MISMATCH', 'version_unsupported'],
])

const BY_CODE: ReadonlyMap<string, ConnectionProblemCode> = new Map([
  ['NOT_PAIRED', 'approval_needed'],
  ['UNAVAILABLE', 'starting'],
])

const REMEDIES: Readonly<Record<ConnectionProblemCode, string>> = {
  unreachable: 'Start the Gateway, or correct the address. Clawboo keeps trying.',
  starting: 'Wait a moment. Clawboo keeps trying.',
  secret_missing: 'Enter the token. It is in the Gateway’s openclaw.json, under gateway.auth.token.',
  secret_wrong: 'Enter the current token. It is in the Gateway’s openclaw.json, under gateway.auth.token.',
  approval_needed: 'Approve the device at the Gateway: openclaw devices list, then openclaw devices approve.',
  scopes_missing: 'Connect with the Gateway’s own token, at a loopback address or over an approved device.',
  version_unsupported: 'Update OpenClaw or Clawboo: they use different versions of the protocol.',
  refused: 'See the Gateway’s log for the reason.',
}

function isUnreachable(code: string, words: string): boolean {
  return (
    /^E[A-Z]+$/.test(code) ||
    /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|socket hang up|timed? ?out|closed/i.test(words)
  )
}
