import { ClawbooError } from '@clawboo/core'

/** What an outside server did not do as it should. */
export function serverFailed(why: string, cause?: unknown): ClawbooError {
  return new ClawbooError('tool_server_failed', `the outside server failed: ${why}`, { cause })
}
