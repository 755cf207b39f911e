import { ClawbooError } from '@clawboo/core'
import type { HostSettings } from '../../host.ts'
import { list, object, text } from '../gateway/gateway-frames.ts'

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

const SETTING = 'session-overrides'

export function createSessionOverrides(settings: HostSettings): SessionOverrides {
  let reading: Promise<Map<string, Set<string>>> | null = null
  const read = async () => {
    const kept = Object.entries(object(await settings.get(SETTING)))
    return new Map(kept.map(([key, names]) => [key, new Set(list(names).map(text))]))
  }
  const known = () => {
    reading ??= read().catch((error: unknown) => {
      reading = null
      throw error
    })
    return reading
  }
  const keep = (all: ReadonlyMap<string, ReadonlySet<string>>) =>
    settings.set(SETTING, Object.fromEntries([...all].map(([key, names]) => [key, [...names]])))
  const mark = async (key: string, setting: Setting, isOurs: boolean) => {
    const all = await known()
    const names = all.get(key) ?? new Set()
    if (names.has(setting) === isOurs) return
    if (isOurs) names.add(setting)
    else names.delete(setting)
    if (names.size > 0) all.set(key, names)
    else all.delete(key)
    await keep(all)
  }
  return {
    async wish(key, setting, value, tell) {
      const wasOurs = (await known()).get(key)?.has(setting) ?? false
      if (value === null && !wasOurs) return
      // Ours from before the Gateway hears of it until after: what a crash leaves in between can still be taken back.
      if (value !== null) await mark(key, setting, true)
      try {
        await tell()
      } catch (error) {
        // What the Gateway refused is not there, and what is there is somebody else's.
        if (!wasOurs && !mayHaveArrived(error)) await mark(key, setting, false)
        throw error
      }
      if (value === null) await mark(key, setting, false)
    },
    async forget(prefix) {
      const all = await known()
      const gone = [...all.keys()].filter((key) => key.startsWith(prefix))
      for (const key of gone) all.delete(key)
      if (gone.length > 0) await keep(all)
    },
  }
}

function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof ClawbooError) || error.code === 'gateway_disconnected'
}
