/** The codes of all expected errors. A code is API and never changes its meaning; a message may change. */
export const CLAWBOO_ERROR_CODES = [
  'agent_busy',
  'agent_cannot_run',
  'agent_not_found',
  'agent_name_taken',
  'agent_config_invalid',
  'answer_refused',
  'attention_not_found',
  'attention_settled',
  'backup_unreadable',
  'body_invalid',
  'body_not_json',
  'body_too_large',
  'check_failed',
  'config_invalid',
  'connection_invalid',
  'connection_unsupported',
  'credential_missing',
  'credential_refused',
  'delegation_limit',
  'dependency_cycle',
  'evidence_missing',
  'evidence_refused',
  'evidence_stale',
  'exchange_not_found',
  'file_not_found',
  'file_not_text',
  'file_revision_stale',
  'file_too_large',
  'file_unsupported',
  'grant_refused',
  'host_refused',
  'illegal_transition',
  'internal',
  'memory_full',
  'memory_not_found',
  'message_delivered',
  'message_not_found',
  'method_not_allowed',
  'model_unknown',
  'origin_refused',
  'override_refused',
  'path_refused',
  'provider_built_in',
  'provider_not_found',
  'queue_full',
  'rate_limited',
  'reader_limit_reached',
  'request_invalid',
  'revision_not_found',
  'room_not_found',
  'route_not_found',
  'run_not_found',
  'runtime_not_found',
  'secret_unreadable',
  'server_running',
  'server_not_running',
  'server_stopping',
  'sign_in_code_refused',
  'source_not_found',
  'store_unavailable',
  'task_conflict',
  'task_not_found',
  'task_not_yours',
  'team_name_taken',
  'team_not_found',
  'tool_approval_refused',
  'tool_not_found',
  'tool_server_failed',
  'upgrade_refused',
  'upstream_disconnected',
  'upstream_refused',
  'worktree_refused',
] as const

export type ClawbooErrorCode = (typeof CLAWBOO_ERROR_CODES)[number]

/** The only error class that may leave a module. */
export class ClawbooError extends Error {
  readonly code: ClawbooErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ClawbooErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ClawbooError'
    this.code = code
    this.details = options.details ?? {}
  }
}
