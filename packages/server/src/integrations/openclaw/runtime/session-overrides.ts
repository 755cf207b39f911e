import { ClawbooError } from '@clawboo/core'
import type { HostSettings } from '../../host.ts'

type Setting = 'model' | 'permissionMode'

/**
 * What sessions at the Gateway were told from here. What a person takes back is taken back there too; what somebody chose
 * there for a session is left alone.
 */
export interface SessionOverrides {
  /** Runs `tell` when the wish, or that there is none any more, concerns the Gateway. */
  wish(key: string, setting: Setting, value: string | null, tell: () => Promise<void>): Promise<void>
  /** The sessions whose keys begin so are no more. */
  forget(prefix: string): Promise<void>
}

export function createSessionOverrides(settings: HostSettings): SessionOverrides {
  return {
    async wish(key, setting, value, tell) {
      // A row of its own for each: another server may be at work on other sessions.
      const ours = `${PREFIX}${key} ${setting}`
      const wasOurs = (await settings.get(ours)) === true
      if (value === null && !wasOurs) return
      // Ours from before the Gateway hears of it until after: what a crash leaves in between can still be taken back.
      if (!wasOurs) await settings.set(ours, true)
      try {
        await tell()
      } catch (error) {
        // What the Gateway refused is not there, and what is there is somebody else's.
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
