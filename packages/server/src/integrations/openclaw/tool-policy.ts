import { setTimeout as pause } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import type { SourceToolPolicy, ToolPolicy } from '@clawboo/core/registry'
import { refusalWords } from './gateway/call-error.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { list, object, text } from './gateway/gateway-frames.ts'

/** The tool policy in `tools.allow` and `tools.deny` of the Gateway's settings. */
export function createToolPolicy(gateway: GatewayConnection): SourceToolPolicy {
  const read = async () => readPolicy(object(object(await gateway.call('config.get')).config))
  return {
    read,
    async change({ deny, undeny }) {
      await changeConfig(gateway, (config) => {
        const before = readPolicy(config).deny
        const after = [...new Set([...before.filter((tool) => !undeny.includes(tool)), ...deny])]
        const isSame = after.length === before.length && before.every((tool) => after.includes(tool))
        return isSame ? null : { patch: { tools: { deny: after } }, replacePaths: ['tools.deny'] }
      })
      return read()
    },
  }
}

function readPolicy(config: Readonly<Record<string, unknown>>): ToolPolicy {
  const { allow, deny } = object(config.tools)
  return { allow: Array.isArray(allow) ? allow.map(text) : null, deny: list(deny).map(text) }
}

/** A merge patch. Arrays that get shorter are named, because the Gateway refuses unnamed removals. */
interface ConfigChange {
  readonly patch: object
  readonly replacePaths?: readonly string[]
}

const MOST_TRIES = 5
/** The Gateway applies its settings before it answers, which is slow on a busy machine. */
const WRITE_TIMEOUT_MS = 60_000
const RESTART_MS = 60_000
const LOOK_EVERY_MS = 500

/**
 * Changes the Gateway's settings based on their current value. After a concurrent change it reads again and retries,
 * and never forces a write. `change` returns null when nothing needs to change.
 */
export async function changeConfig(
  gateway: GatewayConnection,
  change: (config: Readonly<Record<string, unknown>>) => ConfigChange | null,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { config, hash } = object(await gateway.call('config.get'))
    const requested = change(object(config))
    if (requested === null) return
    try {
      const raw = JSON.stringify(requested.patch)
      const shorter = requested.replacePaths ? { replacePaths: requested.replacePaths } : {}
      await gateway.call('config.patch', { raw, baseHash: text(hash), ...shorter }, { timeoutMs: WRITE_TIMEOUT_MS })
      return
    } catch (error) {
      const words = text(refusalWords(error))
      const isTaken = words.includes('persisted')
      if (!isTaken && !words.startsWith('config changed since last load')) throw error
      if (isTaken) await untilBack(gateway)
      if (tries < MOST_TRIES) continue
      throw new ClawbooError('upstream_refused', 'the settings of the OpenClaw Gateway keep changing; try again', {
        cause: error,
      })
    }
  }
}

/** Waits while the Gateway applies a stored change, possibly with a restart. */
async function untilBack(gateway: GatewayConnection): Promise<void> {
  const end = Date.now() + RESTART_MS
  for (;;) {
    await pause(LOOK_EVERY_MS)
    try {
      await gateway.call('config.get')
      return
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}
