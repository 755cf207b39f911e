/** Why a run did not simply complete. Codes are API and never change their meaning. */
export const RUN_REASONS = [
  'aborted_by_person',
  'aborted_by_message',
  'agent_removed',
  'approval_denied',
  'context_overflow',
  'idle_limit',
  'model_calls_limit',
  'model_failed',
  'model_unknown',
  'process_died',
  'refused',
  'repeat_limit',
  'server_died',
  'server_stopping',
  'session_unwritable',
  'start_failed',
  'time_limit',
  'tokens_limit',
  'tool_errors_limit',
  'usd_limit',
] as const

export type RunReason = (typeof RUN_REASONS)[number]
