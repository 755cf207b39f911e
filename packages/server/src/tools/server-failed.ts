import { ClawbooError } from '@clawboo/core'

/** An error about an outside server. */
export function serverFailed(why: string, cause?: unknown): ClawbooError {
  return new ClawbooError('tool_server_failed', `the outside server failed: ${why}`, { cause })
}
