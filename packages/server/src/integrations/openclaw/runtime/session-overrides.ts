import { ClawbooError } from '@clawboo/core'
import type { HostSettings } from '../../host.ts'

type Setting = 'model' | 'permissionMode'

/**
 * Session settings that this installation set at the Gateway. When a person removes a setting here, it is removed
 * there too; settings that another client chose for a session are left alone.
 */
export interface SessionOverrides {
  /** Runs `tell` when the new value, or its removal, must be sent to the Gateway. */
  wish(key: string, setting: Setting, value: string | null, tell: () => Promise<void>): Promise<void>
  /** Removes the records of all sessions with this key prefix. */
  forget(prefix: string): Promise<void>
}

export function createSessionOverrides(settings: HostSettings): SessionOverrides {
  return {
    async wish(key, setting, value, tell) {
      // One row per session and setting, because another server may change other sessions.
      const ours = `${PREFIX}${key} ${setting}`
      const wasOurs = (await settings.get(ours)) === true
      if (value === null && !wasOurs) return
      // Mark it before the Gateway is called, so that the setting can still be removed after a crash in between.
      if (!wasOurs) await settings.set(ours, true)
      try {
        await tell()
      } catch (error) {
        // The Gateway refused the setting, so any value there belongs to another client.
        if (!wasOurs && !mayHaveArrived(error)) await settings.remove(ours)
        throw error
      }
      if (value === null) await settings.remove(ours)
    },
    forget: (prefix) => settings.removePrefix(PREFIX + prefix),
  }
}

const PREFIX = 'session-override:'

function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof ClawbooError) || error.code === 'upstream_disconnected'
}
