import type { ErrorBody } from '@clawboo/api'
import { ClawbooError, type ClawbooErrorCode } from '@clawboo/core'

/** The only place that maps a code to a status. A new code does not compile without one. */
const STATUS = {
  agent_busy: 409,
  agent_cannot_run: 409,
  agent_config_invalid: 400,
  agent_name_taken: 409,
  agent_not_found: 404,
  answer_refused: 409,
  attention_not_found: 404,
  attention_settled: 409,
  backup_unreadable: 400,
  body_invalid: 400,
  body_not_json: 415,
  body_too_large: 413,
  check_failed: 409,
  config_invalid: 500,
  connection_invalid: 400,
  connection_unsupported: 409,
  credential_missing: 401,
  credential_refused: 401,
  delegation_limit: 409,
  dependency_cycle: 409,
  evidence_missing: 409,
  evidence_refused: 403,
  evidence_stale: 409,
  exchange_not_found: 404,
  file_not_found: 404,
  file_not_text: 409,
  file_revision_stale: 409,
  file_too_large: 409,
  file_unsupported: 409,
  grant_refused: 403,
  host_refused: 421,
  illegal_transition: 409,
  internal: 500,
  memory_full: 409,
  memory_not_found: 404,
  message_delivered: 409,
  message_not_found: 404,
  method_not_allowed: 405,
  model_unknown: 400,
  origin_refused: 403,
  override_refused: 409,
  path_refused: 400,
  provider_built_in: 409,
  provider_not_found: 404,
  queue_full: 429,
  rate_limited: 429,
  reader_limit_reached: 503,
  request_invalid: 400,
  revision_not_found: 404,
  room_not_found: 404,
  route_not_found: 404,
  run_not_found: 404,
  runtime_not_found: 404,
  secret_unreadable: 500,
  server_not_running: 503,
  server_running: 409,
  server_stopping: 503,
  sign_in_code_refused: 401,
  source_not_found: 404,
  store_unavailable: 503,
  task_conflict: 409,
  task_not_found: 404,
  task_not_yours: 403,
  team_name_taken: 409,
  team_not_found: 404,
  tool_approval_refused: 409,
  tool_not_found: 404,
  tool_server_failed: 502,
  upgrade_refused: 426,
  upstream_disconnected: 503,
  upstream_refused: 502,
  worktree_refused: 409,
} as const satisfies Record<ClawbooErrorCode, number>

/** Codes after which the same request may succeed a little later. */
const RETRY_AFTER_SECONDS: Partial<Record<ClawbooErrorCode, number>> = {
  rate_limited: 30,
  reader_limit_reached: 10,
  server_stopping: 5,
  store_unavailable: 2,
  upstream_disconnected: 5,
}

export interface ErrorResponse {
  readonly status: (typeof STATUS)[ClawbooErrorCode]
  readonly headers: Record<string, string>
  readonly body: string
}

export function errorResponse(
  code: ClawbooErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ErrorResponse {
  const body: ErrorBody = { error: { message, ...shownCode(code, details) } }
  const retryAfter = RETRY_AFTER_SECONDS[code]
  return {
    status: STATUS[code],
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify(body),
  }
}

/** An upstream may have its own code for being offline. The general code is then in the details. */
function shownCode(code: ClawbooErrorCode, details: Readonly<Record<string, unknown>>) {
  if (code !== 'upstream_disconnected' || typeof details.code !== 'string') return { code, details }
  return { code: details.code, details: { ...details, code } }
}

/** Any other error is a programming mistake: its text may contain anything, so none of it leaves the server. */
export function responseOfError(error: unknown): ErrorResponse {
  if (error instanceof ClawbooError) return errorResponse(error.code, error.message, error.details)
  return errorResponse('internal', 'something went wrong in the server; its log has the details')
}
